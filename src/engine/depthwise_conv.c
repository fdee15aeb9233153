/* Depthwise convolutions: every channel by itself, a few pixels of a row at a time. */
#include "engine/direct_conv.h"

#include "core/threads.h"

enum { B = TIPS_BLOCK, PIXELS = 8 };

typedef struct line {
    int kh, kw;
    ptrdiff_t row, tap, pixel; /* floats to the next kernel row, kernel column, pixel */
    vf bias, low, high;
    bool clips;
} line;

#define PIECE(name, P)                                                                                              \
    static void name(const line *l, const float *src, const float *weights, const float *residual, float *dst) {    \
        vf sum[P];                                                                                                  \
        for (int p = 0; p < (P); p++) sum[p] = residual ? l->bias + vf_load(residual + (ptrdiff_t)p * B) : l->bias; \
        for (int ky = 0; ky < l->kh; ky++, src += l->row) {                                                         \
            const float *at = src;                                                                                  \
            for (int kx = 0; kx < l->kw; kx++, at += l->tap, weights += B) {                                        \
                const vf weight = vf_load(weights);                                                                 \
                for (int p = 0; p < (P); p++) sum[p] = vf_fma(vf_load(at + p * l->pixel), weight, sum[p]);          \
            }                                                                                                       \
        }                                                                                                           \
        for (int p = 0; p < (P); p++)                                                                               \
            vf_store(dst + (ptrdiff_t)p * B, l->clips ? vf_between(sum[p], l->low, l->high) : sum[p]);              \
    }

PIECE(eight_pixels, 8)
PIECE(four_pixels, 4)
PIECE(one_pixel, 1)

static void run_row(const line *l, int width, const float *src, const float *weights, const float *residual,
                    float *dst) {
    for (int x = 0, step; x < width; x += step) {
        const float *from = src + x * l->pixel, *add = residual ? residual + (ptrdiff_t)x * B : NULL;
        float *to = dst + (ptrdiff_t)x * B;
        step = width - x >= 8 ? 8 : width - x >= 4 ? 4 : 1;
        (step == 8 ? eight_pixels : step == 4 ? four_pixels : one_pixel)(l, from, weights, add, to);
    }
}

static void run_band(const tips_direct *c, const tips_map *src, const float *weights, const tips_finish *finish,
                     const tips_map *dst, int n, int b, int first_row, int end_row) {
    const line l = {c->kh, c->kw, c->dh * src->sh, (ptrdiff_t)c->dw * B, (ptrdiff_t)c->sw * B,
                    finish->bias ? vf_load(finish->bias + (ptrdiff_t)b * B) : (vf){0}, vf_set(finish->low),
                    vf_set(finish->high), finish->clips};
    const float *from = tips__plane(src, n, b) - c->top * src->sh - (ptrdiff_t)c->left * B;
    for (int y = first_row; y < end_row; y++) {
        float *to = tips__row(dst, n, b, y);
        run_row(&l, dst->w, from + (ptrdiff_t)y * c->sh * src->sh, weights + (ptrdiff_t)b * c->kh * c->kw * B,
                finish->residual ? tips__row(finish->residual, n, b, y) : NULL, to);
        if (finish->function) finish->function(to, dst->w * B, b, finish->with);
    }
}

/* Planes are halved, so that threads are done at about the same time. */
void tips__depthwise_forward(const tips_direct *c, const tips_map *src, const float *weights, const tips_finish *finish,
                             const tips_map *dst) {
    const int half = (dst->h + 1) / 2;
    TIPS_PARALLEL_FOR (i, 2 * dst->n * dst->blocks) {
        const int n = i / 2 / dst->blocks, b = i / 2 % dst->blocks;
        run_band(c, src, weights, finish, dst, n, b, i % 2 * half, i % 2 ? dst->h : half);
    }
}
