/* aps with one phase per channel: k*[c] = argmax_k ||P_k(x_c)||_p, lane by lane. */
#include "pool/aps_channel.h"

#include "tensor/phase.h"

enum { B = TIPS_BLOCK };

static inline vd term(vf value, int p) {
    const vd size = vd_from(vf_abs(value));
    return p == 2 ? size * size : size;
}

/* Adds the terms of one row of windows to score[0..sw-1]. */
static void score_row(const float *x, int ow, int sw, int p, vd *score) {
    for (int j = 0; j < ow; j++)
        for (int b = 0; b < sw; b++) {
            const vd value = term(vf_load(x + ((ptrdiff_t)j * sw + b) * B), p);
            score[b] = p == 0 ? vd_max(value, score[b]) : score[b] + value;
        }
}

vi tips__aps_channel_choose(const tips_map *x, int n, int block, const int stride[2], int p) {
    const int sh = stride[0], sw = stride[1];
    vd score[TIPS_MAX_PHASES];
    vi phase = {0};
    for (int k = 0; k < sh * sw; k++) score[k] = (vd){0};
    for (int y = 0; y < x->h; y++) score_row(tips__row(x, n, block, y), x->w / sw, sw, p, score + y % sh * sw);
    for (int k = 1; k < sh * sw; k++)
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
