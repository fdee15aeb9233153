/* aps with one phase per channel: k*[c] = argmax_k ||P_k(x_c)||_p, lane by lane. */
#include "pool/aps_channel.h"

#include "tensor/exact_sum.h"
#include "tensor/phase.h"

enum { B = TIPS_BLOCK };

/* Raises best to the largest |x| of `count` vectors. */
static vf largest_of(const float *x, ptrdiff_t step, int count, vf best) {
    for (int j = 0; j < count; j++) best = vf_max(vf_abs(vf_load(x + j * step)), best);
    return best;
}

/* score[k]: sums without a grid, that is, in plain double. */
static void score_sums(const tips_map *x, int n, int block, const int stride[2], exact_term term, vd *score) {
    exact_sum sums[TIPS_MAX_PHASES];
    for (int k = 0; k < stride[0] * stride[1]; k++) sums[k] = (exact_sum){0};
    const ptrdiff_t step = (ptrdiff_t)stride[1] * B;
    for (int y = 0; y < x->h; y++)
        for (int b = 0; b < stride[1]; b++)
            exact_sum_add_run(&sums[y % stride[0] * stride[1] + b], tips__row(x, n, block, y) + (ptrdiff_t)b * B, step,
                              x->w / stride[1], term);
    for (int k = 0; k < stride[0] * stride[1]; k++) score[k] = sums[k].sum;
}

static void score_maxima(const tips_map *x, int n, int block, const int stride[2], vd *score) {
    vf maxima[TIPS_MAX_PHASES];
    for (int k = 0; k < stride[0] * stride[1]; k++) maxima[k] = (vf){0};
    const ptrdiff_t step = (ptrdiff_t)stride[1] * B;
    for (int y = 0; y < x->h; y++)
        for (int b = 0; b < stride[1]; b++) {
            vf *best = &maxima[y % stride[0] * stride[1] + b];
            *best = largest_of(tips__row(x, n, block, y) + (ptrdiff_t)b * B, step, x->w / stride[1], *best);
        }
    for (int k = 0; k < stride[0] * stride[1]; k++) score[k] = vd_from(maxima[k]);
}

vi tips__aps_channel_choose(const tips_map *x, int n, int block, const int stride[2], int p) {
    vd score[TIPS_MAX_PHASES];
    vi phase = {0};
    if (p == 0)
        score_maxima(x, n, block, stride, score);
    else
        score_sums(x, n, block, stride, p == 1 ? EXACT_ABSOLUTE : EXACT_SQUARE, score);
    for (int k = 1; k < stride[0] * stride[1]; k++)
        for (int l = 0; l < B; l++)
            if (score[k][l] > score[phase[l]][l]) phase[l] = k;
    return phase;
}

void tips__aps_channel_plane(const tips_map *y, const tips_map *x, int n, int block, const int stride[2], vi phase) {
    const int sh = stride[0], sw = stride[1];
    for (int i = 0; i < y->h; i++) {
        const float *from = tips__row(x, n, block, sh * i);
        float *to = tips__row(y, n, block, i);
        for (int j = 0; j < y->w; j++) {
            vf value = {0};
            for (int k = 0; k < sh * sw; k++) {
                const float *cell = from + k / sw * x->sh + ((ptrdiff_t)j * sw + k % sw) * B;
                value = vf_select(phase == k, vf_load(cell), value);
            }
            vf_store(to + (ptrdiff_t)j * B, value);
        }
    }
}

void tips__aps_channel_diff_plane(const tips_map *dx, const tips_map *dy, int n, int block, const int stride[2],
                                  vi phase, bool accumulate) {
    const int sh = stride[0], sw = stride[1];
    for (int y = 0; y < dx->h; y++) {
        const float *from = tips__row(dy, n, block, y / sh);
        float *to = tips__row(dx, n, block, y);
        for (int j = 0; j < dy->w; j++)
            for (int b = 0; b < sw; b++) {
                float *cell = to + ((ptrdiff_t)j * sw + b) * B;
                const vf value = (vf)((vi)vf_load(from + (ptrdiff_t)j * B) & (phase == y % sh * sw + b));
                vf_store(cell, accumulate ? vf_load(cell) + value : value);
            }
    }
}
