/* Taking, putting back and mixing the polyphase components of one plane, in whole vectors. */
#include "pool/gather.h"

#include "tensor/phase.h"

#include <string.h>

enum { B = TIPS_BLOCK };

void tips__gather_plane(const tips_map *y, const tips_map *x, int n, int block, const int stride[2], int k) {
    const int a = k / stride[1], b = k % stride[1];
    const ptrdiff_t step = (ptrdiff_t)stride[1] * B;
    for (int i = 0; i < y->h; i++) {
        const float *from = tips__row(x, n, block, stride[0] * i + a) + (ptrdiff_t)b * B;
        float *to = tips__row(y, n, block, i);
        for (int j = 0; j < y->w; j++) vf_store(to + (ptrdiff_t)j * B, vf_load(from + j * step));
    }
}

static void put(float *to, vf value, bool accumulate) { vf_store(to, accumulate ? vf_load(to) + value : value); }

static void scatter_row(float *to, const float *from, int ow, int sw, int b, bool accumulate) {
    for (int j = 0; j < ow; j++) {
        const vf value = vf_load(from + (ptrdiff_t)j * B);
        float *window = to + (ptrdiff_t)j * sw * B;
        if (!accumulate)
            for (int i = 0; i < sw; i++) vf_store(window + (ptrdiff_t)i * B, (vf){0});
        put(window + (ptrdiff_t)b * B, value, accumulate);
    }
}

void tips__scatter_plane(const tips_map *dx, const tips_map *dy, int n, int block, const int stride[2], int k,
                         bool accumulate) {
    const int a = k / stride[1], b = k % stride[1];
    for (int y = 0; y < dx->h; y++) {
        float *to = tips__row(dx, n, block, y);
        if (y % stride[0] == a)
            scatter_row(to, tips__row(dy, n, block, y / stride[0]), dy->w, stride[1], b, accumulate);
        else if (!accumulate)
            memset(to, 0, (size_t)dx->w * B * sizeof(float));
    }
}

static inline void mix_row(const float *x, ptrdiff_t row, float *y, int ow, int sh, int sw, const float *weights) {
    for (int j = 0; j < ow; j++) {
        const float *window = x + (ptrdiff_t)j * sw * B;
        vf sum = {0};
        for (int a = 0; a < sh; a++)
            for (int b = 0; b < sw; b++)
                sum = vf_fma(vf_set(weights[a * sw + b]), vf_load(window + a * row + (ptrdiff_t)b * B), sum);
        vf_store(y + (ptrdiff_t)j * B, sum);
    }
}

void tips__mix_plane(const tips_map *y, const tips_map *x, int n, int block, const int stride[2],
                     const float *weights) {
    const int sh = stride[0], sw = stride[1];
    for (int i = 0; i < y->h; i++) {
        const float *from = tips__row(x, n, block, sh * i);
        float *to = tips__row(y, n, block, i);
        if (sh == 2 && sw == 2)
            mix_row(from, x->sh, to, y->w, 2, 2, weights);
        else
            mix_row(from, x->sh, to, y->w, sh, sw, weights);
    }
}

static void spread_row(float *to, const float *from, int ow, int sw, const float *weights, bool accumulate) {
    for (int j = 0; j < ow; j++) {
        const vf value = vf_load(from + (ptrdiff_t)j * B);
        float *window = to + (ptrdiff_t)j * sw * B;
        for (int b = 0; b < sw; b++) put(window + (ptrdiff_t)b * B, vf_set(weights[b]) * value, accumulate);
    }
}

void tips__mix_diff_plane(const tips_map *dx, const tips_map *dy, int n, int block, const int stride[2],
                          const float *weights, bool accumulate) {
    for (int y = 0; y < dx->h; y++) {
        const float *row_weights = weights + (ptrdiff_t)(y % stride[0]) * stride[1];
        const float *from = tips__row(dy, n, block, y / stride[0]);
        spread_row(tips__row(dx, n, block, y), from, dy->w, stride[1], row_weights, accumulate);
    }
}

/* Products are summed in float along a row and in double over the rows. */
static vf dot_row(const float *x, const float *dy, int ow, int sw) {
    vf sum = {0};
    for (int j = 0; j < ow; j++)
        sum = vf_fma(vf_load(x + (ptrdiff_t)j * sw * B), vf_load(dy + (ptrdiff_t)j * B), sum);
    return sum;
}

void tips__mix_dweights_plane(const tips_map *x, const tips_map *dy, int n, int block, const int stride[2],
                              double *dweights) {
    vd sums[TIPS_MAX_PHASES];
    const int phases = stride[0] * stride[1];
    for (int k = 0; k < phases; k++) sums[k] = (vd){0};
    for (int i = 0; i < dy->h; i++) {
        const float *g = tips__row(dy, n, block, i);
        for (int k = 0; k < phases; k++) {
            const float *from = tips__row(x, n, block, stride[0] * i + k / stride[1]) + (ptrdiff_t)(k % stride[1]) * B;
            sums[k] += vd_from(dot_row(from, g, dy->w, stride[1]));
        }
    }
    for (int k = 0; k < phases; k++) dweights[k] = vd_sum(sums[k]);
}
