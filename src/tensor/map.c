/* Building, converting and copying blocked maps. */
#include "tensor/map.h"

#include "core/threads.h"
#include "tensor/exact_sum.h"

#include <string.h>

static const tips_padding no_halo;

static tips_map make_map(float *data, int n, int c, int h, int w, int lanes, const tips_padding *halo) {
    const ptrdiff_t row = (ptrdiff_t)(w + halo->left + halo->right) * lanes;
    const ptrdiff_t plane = row * (h + halo->top + halo->bottom);
    const int blocks = tips__blocks(c);
    tips_map map = {.n = n, .c = c, .h = h, .w = w, .blocks = blocks, .sn = plane * blocks, .sb = plane, .sh = row,
                    .lanes = lanes};
    map.data = tips__map_inside(&map, data, halo);
    return map;
}

tips_map tips__map_haloed(float *data, int n, int c, int h, int w, const tips_padding *halo) {
    return make_map(data, n, c, h, w, TIPS_BLOCK, halo);
}

tips_map tips__map_thin(float *data, int n, int c, int h, int w, const tips_padding *halo) {
    return make_map(data, n, c, h, w, TIPS_THIN, halo);
}

tips_map tips__map_like(float *data, const tips_map *map, const tips_padding *halo) {
    return make_map(data, map->n, map->c, map->h, map->w, map->lanes, halo);
}

tips_map tips__map_dense(float *data, int n, int c, int h, int w) {
    return tips__map_haloed(data, n, c, h, w, &no_halo);
}

size_t tips__map_bytes(int n, int c, int h, int w, const tips_padding *halo) {
    if (!halo) halo = &no_halo;
    return (size_t)n * (size_t)tips__padded(c) * (size_t)(h + halo->top + halo->bottom) *
           (size_t)(w + halo->left + halo->right) * sizeof(float);
}

bool tips__map_is_dense(const tips_map *map) {
    return map->sh == (ptrdiff_t)map->w * map->lanes && map->sb == map->sh * map->h;
}

/* Pictures: each pixel is written once, whole. */
static void from_picture_row(float *row, const float *from, int lanes, ptrdiff_t area, int width) {
    const float *red = from, *green = from + area, *blue = from + 2 * area;
    if (lanes == TIPS_THIN)
        for (int x = 0; x < width; x++) {
            float *pixel = row + (ptrdiff_t)x * TIPS_THIN;
            pixel[0] = red[x], pixel[1] = green[x], pixel[2] = blue[x], pixel[3] = 0;
        }
    else
        for (int x = 0; x < width; x++) vf_store(row + (ptrdiff_t)x * TIPS_BLOCK, (vf){red[x], green[x], blue[x]});
}

static void from_plain_row(float *row, const float *from, int channels, int lanes, ptrdiff_t area, int width) {
    if (channels == 3) {
        from_picture_row(row, from, lanes, area, width);
        return;
    }
    if (channels < lanes) memset(row, 0, (size_t)width * (size_t)lanes * sizeof(float));
    for (int c = 0; c < channels; c++)
        for (int x = 0; x < width; x++) row[x * lanes + c] = from[c * area + x];
}

void tips__map_from_nchw(const tips_map *dst, const float *src) {
    const ptrdiff_t area = (ptrdiff_t)dst->h * dst->w;
    TIPS_PARALLEL_FOR(i, dst->n * dst->blocks * dst->h) {
        const int n = i / dst->h / dst->blocks, b = i / dst->h % dst->blocks, y = i % dst->h;
        const int channels = dst->c - b * TIPS_BLOCK < TIPS_BLOCK ? dst->c - b * TIPS_BLOCK : TIPS_BLOCK;
        const ptrdiff_t plane = ((ptrdiff_t)n * dst->c + (ptrdiff_t)b * TIPS_BLOCK) * area;
        const float *from = src + plane + (ptrdiff_t)y * dst->w;
        from_plain_row(tips__row(dst, n, b, y), from, channels, dst->lanes, area, dst->w);
    }
}

void tips__map_to_nchw(const tips_map *src, float *dst) {
    const ptrdiff_t area = (ptrdiff_t)src->h * src->w;
    TIPS_PARALLEL_PLANES(src, n, b) {
        const int channels = src->c - b * TIPS_BLOCK < TIPS_BLOCK ? src->c - b * TIPS_BLOCK : TIPS_BLOCK;
        float *plane = dst + ((ptrdiff_t)n * src->c + (ptrdiff_t)b * TIPS_BLOCK) * area;
        for (int y = 0; y < src->h; y++) {
            const float *row = tips__row(src, n, b, y);
            for (int c = 0; c < channels; c++)
                for (int x = 0; x < src->w; x++) plane[c * area + (ptrdiff_t)y * src->w + x] = row[x * src->lanes + c];
        }
    }
}

vf tips__plane_largest(const tips_map *map, int n, int block) {
    enum { APART = 4 }; /* so that one need not wait for the other */
    vf largest[APART] = {{0}};
    for (int y = 0; y < map->h; y++) {
        const float *row = tips__row(map, n, block, y);
        int x = 0;
        for (; x + APART <= map->w; x += APART)
            for (int i = 0; i < APART; i++)
                largest[i] = vf_max(vf_abs(vf_load(row + (ptrdiff_t)(x + i) * TIPS_BLOCK)), largest[i]);
        for (; x < map->w; x++) largest[0] = vf_max(vf_abs(vf_load(row + (ptrdiff_t)x * TIPS_BLOCK)), largest[0]);
    }
    return vf_max(vf_max(largest[0], largest[1]), vf_max(largest[2], largest[3]));
}

vd tips__plane_sum(const tips_map *map, int n, int block) {
    exact_sum sum = exact_sum_start(vd_from(tips__plane_largest(map, n, block)), (double)map->h * map->w);
    for (int y = 0; y < map->h; y++)
        exact_sum_add_run(&sum, tips__row(map, n, block, y), TIPS_BLOCK, map->w, EXACT_VALUE);
    return sum.sum;
}

void tips__map_zero(const tips_map *dst) {
    TIPS_PARALLEL_PLANES(dst, n, b)
        for (int y = 0; y < dst->h; y++)
            memset(tips__row(dst, n, b, y), 0, (size_t)dst->w * TIPS_BLOCK * sizeof(float));
}

static void widen_row(float *to, const float *from, int width) {
    for (int x = 0; x < width; x++, to += TIPS_BLOCK, from += TIPS_THIN) {
        vf pixel = {0};
        for (int i = 0; i < TIPS_THIN; i++) pixel[i] = from[i];
        vf_store(to, pixel);
    }
}

void tips__map_copy(const tips_map *dst, const tips_map *src) {
    TIPS_PARALLEL_PLANES(dst, n, b)
        for (int y = 0; y < dst->h; y++) {
            float *to = tips__row(dst, n, b, y);
            if (dst->lanes == src->lanes)
                memcpy(to, tips__row(src, n, b, y), (size_t)dst->w * (size_t)dst->lanes * sizeof(float));
            else
                widen_row(to, tips__row(src, n, b, y), dst->w);
        }
}

void tips__map_add(const tips_map *dst, const tips_map *src) {
    TIPS_PARALLEL_PLANES(dst, n, b)
        for (int y = 0; y < dst->h; y++) {
            float *d = tips__row(dst, n, b, y);
            const float *s = tips__row(src, n, b, y);
            for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) vf_store(d + x, vf_load(d + x) + vf_load(s + x));
        }
}

void tips__map_emit(const tips_map *dst, const tips_map *src, bool accumulate) {
    if (accumulate)
        tips__map_add(dst, src);
    else
        tips__map_copy(dst, src);
}
