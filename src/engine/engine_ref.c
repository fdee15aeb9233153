/* The oracle's convolution: seven loops in double on plain NCHW, straight from the definition. */
#include "engine/engine.h"

#include "core/threads.h"

#include "tensor/pad.h"

static double output(const tips_ref_conv *c, const double *src, const double *weights, int n, int o, int y, int x) {
    const tips_conv_shape *s = &c->shape;
    const int icg = s->ic / s->groups, first = o / (s->oc / s->groups) * icg;
    const ptrdiff_t area = (ptrdiff_t)s->ih * s->iw, taps = (ptrdiff_t)s->kh * s->kw;
    const double *sample = src + ((ptrdiff_t)n * s->ic + first) * area, *filter = weights + (ptrdiff_t)o * icg * taps;
    double sum = 0;
    for (int ky = 0; ky < s->kh; ky++)
        for (int kx = 0; kx < s->kw; kx++) {
            const int sy = tips__pad_index((tips_pad_mode)c->pad_mode, y * s->sh - s->top + ky * s->dh, s->ih);
            const int sx = tips__pad_index((tips_pad_mode)c->pad_mode, x * s->sw - s->left + kx * s->dw, s->iw);
            if (sy < 0 || sx < 0) continue;
            for (int i = 0; i < icg; i++)
                sum += filter[i * taps + ky * s->kw + kx] * sample[i * area + (ptrdiff_t)sy * s->iw + sx];
        }
    return sum;
}

void tips__ref_conv_forward(const tips_ref_conv *c, const double *src, const double *weights, const double *bias,
                            double *dst) {
    const tips_conv_shape *s = &c->shape;
#pragma omp parallel for collapse(2) schedule(static) num_threads(tips__threads())
    for (int n = 0; n < s->n; n++)
        for (int o = 0; o < s->oc; o++)
            for (int y = 0; y < s->oh; y++)
                for (int x = 0; x < s->ow; x++)
                    dst[(((ptrdiff_t)n * s->oc + o) * s->oh + y) * s->ow + x] =
                        output(c, src, weights, n, o, y, x) + (bias ? bias[o] : 0.0);
}
