/* Padding arithmetic: index rules, padded planes, halos, and their transposes. */
#include "tensor/pad.h"

#include "core/threads.h"

#include <string.h>

static int wrap(int i, int n) {
    const int r = i % n;
    return r < 0 ? r + n : r;
}

int tips__pad_index(tips_pad_mode mode, int i, int n) {
    if (i >= 0 && i < n) return i;
    switch (mode) {
    case TIPS_PAD_ZERO: return -1;
    case TIPS_PAD_CIRCULAR: return wrap(i, n);
    case TIPS_PAD_REPLICATE: return i < 0 ? 0 : n - 1;
    case TIPS_PAD_REFLECT: {
        if (n == 1) return 0;
        const int folded = wrap(i, 2 * (n - 1));
        return folded < n ? folded : 2 * (n - 1) - folded;
    }
    }
    return -1;
}

size_t tips__pad_plane_floats(int h, int w, const tips_padding *pad) {
    return (size_t)(h + pad->top + pad->bottom) * (size_t)(w + pad->left + pad->right) * TIPS_BLOCK;
}

static void pad_row(const float *src, int w, const tips_padding *pad, float *dst) {
    memcpy(dst + (ptrdiff_t)pad->left * TIPS_BLOCK, src, (size_t)w * TIPS_BLOCK * sizeof(float));
    for (int side = 0; side < 2; side++) {
        const int begin = side ? w : -pad->left, end = side ? w + pad->right : 0;
        for (int x = begin; x < end; x++) {
            const int from = tips__pad_index(pad->mode, x, w);
            float *to = dst + (ptrdiff_t)(x + pad->left) * TIPS_BLOCK;
            vf_store(to, from < 0 ? (vf){0} : vf_load(src + (ptrdiff_t)from * TIPS_BLOCK));
        }
    }
}

void tips__pad_plane(const tips_map *src, int n, int block, const tips_padding *pad, float *dst) {
    const ptrdiff_t row = (ptrdiff_t)(src->w + pad->left + pad->right) * TIPS_BLOCK;
    for (int y = -pad->top; y < src->h + pad->bottom; y++) {
        const int from = tips__pad_index(pad->mode, y, src->h);
        float *to = dst + (y + pad->top) * row;
        if (from < 0)
            memset(to, 0, (size_t)row * sizeof(float));
        else
            pad_row(tips__row(src, n, block, from), src->w, pad, to);
    }
}

/* Adds the border cells of one plane to the cells they were copied from. Columns first, then whole rows. */
static void fold_border(float *interior, ptrdiff_t row, int h, int w, const tips_padding *pad) {
    for (int y = -pad->top; y < h + pad->bottom; y++) {
        float *line = interior + y * row;
        for (int x = -pad->left; x < w + pad->right; x++) {
            if (x == 0) x = w;
            if (x >= w + pad->right) break;
            const int to = tips__pad_index(pad->mode, x, w);
            if (to < 0) continue;
            float *cell = line + (ptrdiff_t)to * TIPS_BLOCK;
            vf_store(cell, vf_load(cell) + vf_load(line + (ptrdiff_t)x * TIPS_BLOCK));
        }
    }
    for (int y = -pad->top; y < h + pad->bottom; y++) {
        if (y == 0) y = h;
        if (y >= h + pad->bottom) break;
        const int to = tips__pad_index(pad->mode, y, h);
        if (to < 0) continue;
        float *line = interior + to * row;
        const float *from = interior + y * row;
        for (int x = 0; x < w * TIPS_BLOCK; x += TIPS_BLOCK) vf_store(line + x, vf_load(line + x) + vf_load(from + x));
    }
}

void tips__fold_plane(float *padded, const tips_padding *pad, const tips_map *dst, int n, int block, bool accumulate) {
    const ptrdiff_t row = (ptrdiff_t)(dst->w + pad->left + pad->right) * TIPS_BLOCK;
    float *interior = padded + pad->top * row + (ptrdiff_t)pad->left * TIPS_BLOCK;
    fold_border(interior, row, dst->h, dst->w, pad);
    for (int y = 0; y < dst->h; y++) {
        float *to = tips__row(dst, n, block, y);
        const float *from = interior + y * row;
        if (!accumulate) {
            memcpy(to, from, (size_t)dst->w * TIPS_BLOCK * sizeof(float));
            continue;
        }
        for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) vf_store(to + x, vf_load(to + x) + vf_load(from + x));
    }
}

/* from: NULL for zeros. */
static void put_pixel(float *to, const float *from, int lanes) {
    static const float nothing[TIPS_THIN];
    if (lanes == TIPS_THIN)
        memcpy(to, from ? from : nothing, sizeof nothing);
    else
        vf_store(to, from ? vf_load(from) : (vf){0});
}

static void fill_border(const tips_map *map, float *interior, const tips_padding *halo) {
    const ptrdiff_t row = map->sh;
    for (int y = 0; y < map->h; y++) {
        float *line = interior + y * row;
        for (int x = -halo->left; x < map->w + halo->right; x++) {
            if (x == 0) x = map->w;
            if (x >= map->w + halo->right) break;
            const int from = tips__pad_index(halo->mode, x, map->w);
            put_pixel(line + (ptrdiff_t)x * map->lanes, from < 0 ? NULL : line + (ptrdiff_t)from * map->lanes,
                      map->lanes);
        }
    }
    const size_t bytes = (size_t)row * sizeof(float);
    float *origin = interior - (ptrdiff_t)halo->left * map->lanes;
    for (int y = -halo->top; y < map->h + halo->bottom; y++) {
        if (y == 0) y = map->h;
        if (y >= map->h + halo->bottom) break;
        const int from = tips__pad_index(halo->mode, y, map->h);
        if (from < 0)
            memset(origin + y * row, 0, bytes);
        else
            memcpy(origin + y * row, origin + from * row, bytes);
    }
}

void tips__halo_fill(const tips_map *map, const tips_padding *halo) {
    TIPS_PARALLEL_PLANES(map, n, b) fill_border(map, tips__plane(map, n, b), halo);
}

void tips__halo_fold(const tips_map *map, const tips_padding *halo) {
    TIPS_PARALLEL_PLANES(map, n, b) fold_border(tips__plane(map, n, b), map->sh, map->h, map->w, halo);
}
