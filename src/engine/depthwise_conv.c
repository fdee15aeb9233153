/* Depthwise convolutions: every channel by itself, row by row. */
#include "core/threads.h"
#include "engine/depthwise_row.h"

enum { B = TIPS_BLOCK };

static void run_band(const tips_direct *c, const tips_map *src, const float *weights, const tips_finish *finish,
                     const tips_map *dst, int n, int b, int first_row, int end_row) {
    const depthwise_row row = tips__depthwise_row_of(c, weights, finish, b, dst->w, src->sh);
    const float *from = tips__plane(src, n, b) - c->top * src->sh - (ptrdiff_t)c->left * B;
    for (int y = first_row; y < end_row; y++) {
        float *to = tips__row(dst, n, b, y);
        tips__depthwise_row(&row, from + (ptrdiff_t)y * c->sh * src->sh,
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
