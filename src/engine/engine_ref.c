/* The oracle's convolution: seven loops in double on plain NCHW, straight from the definition. */
#include "engine/engine.h"

#include "tensor/pad.h"

static double tap(const tips_ref_conv *c, const double *plane, int y, int x) {
    const int sy = tips__pad_index((tips_pad_mode)c->pad_mode, y, c->shape.ih);
    const int sx = tips__pad_index((tips_pad_mode)c->pad_mode, x, c->shape.iw);
    return sy < 0 || sx < 0 ? 0.0 : plane[(ptrdiff_t)sy * c->shape.iw + sx];
}

static double output(const tips_ref_conv *c, const double *src, const double *weights, int n, int o, int y, int x) {
    const tips_conv_shape *s = &c->shape;
    const int icg = s->ic / s->groups, first = o / (s->oc / s->groups) * icg;
    double sum = 0;
    for (int i = 0; i < icg; i++) {
        const double *plane = src + ((ptrdiff_t)n * s->ic + first + i) * s->ih * s->iw;
        for (int ky = 0; ky < s->kh; ky++)
            for (int kx = 0; kx < s->kw; kx++)
                sum += weights[(((ptrdiff_t)o * icg + i) * s->kh + ky) * s->kw + kx] *
                       tap(c, plane, y * s->sh - s->top + ky * s->dh, x * s->sw - s->left + kx * s->dw);
    }
    return sum;
}

void tips__ref_conv_forward(const tips_ref_conv *c, const double *src, const double *weights, const double *bias,
                            double *dst) {
    const tips_conv_shape *s = &c->shape;
#pragma omp parallel for collapse(2) schedule(static)
    for (int n = 0; n < s->n; n++)
        for (int o = 0; o < s->oc; o++)
            for (int y = 0; y < s->oh; y++)
                for (int x = 0; x < s->ow; x++)
                    dst[(((ptrdiff_t)n * s->oc + o) * s->oh + y) * s->ow + x] =
                        output(c, src, weights, n, o, y, x) + (bias ? bias[o] : 0.0);
}
