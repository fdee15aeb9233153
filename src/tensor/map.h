/* Activations in the channel-blocked layout [n][c/B][h][w][B]; channels beyond c are zero.
 * A map may be the interior of a larger buffer: rows, blocks and samples have strides of their own.
 * A thin map, [n][h][w][4], is a picture of four channels at most, for readers that ask for it: whatever takes
 * pixels as whole vectors does not. */
#ifndef TIPS_TENSOR_MAP_H
#define TIPS_TENSOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <tips/padding.h>

#include "core/level.h"

#ifdef TIPS_BLOCK /* in kernels, for which a map is made of vectors */
#include "tensor/vec.h"
#define TIPS_LANES TIPS_BLOCK
#else
#define TIPS_LANES tips__block()
#endif

enum { TIPS_THIN = 4 };

typedef struct tips_map {
    float *data;          /* pixel (0,0) of block 0 of sample 0 */
    int n, c, h, w;
    int blocks;           /* ceil(c / B) */
    ptrdiff_t sn, sb, sh; /* floats from one sample, block, row to the next */
    int lanes;            /* floats from one pixel to the next: B, or TIPS_THIN */
} tips_map;

static inline int tips__blocks(int channels) { return (channels + TIPS_LANES - 1) / TIPS_LANES; }
static inline int tips__padded(int channels) { return tips__blocks(channels) * TIPS_LANES; }

static inline float *tips__plane(const tips_map *m, int n, int block) { return m->data + n * m->sn + block * m->sb; }
static inline float *tips__row(const tips_map *m, int n, int block, int y) {
    return tips__plane(m, n, block) + y * m->sh;
}

/* A dense map at `data`, or one with room for a halo around every plane (`data` is then the buffer's start). */
tips_map tips__map_dense(float *data, int n, int c, int h, int w);
tips_map tips__map_haloed(float *data, int n, int c, int h, int w, const tips_padding *halo);
size_t tips__map_bytes(int n, int c, int h, int w, const tips_padding *halo);
/* The same for a thin one. */
tips_map tips__map_thin(float *data, int n, int c, int h, int w, const tips_padding *halo);
/* The same for one with the shape and the lanes of another. */
tips_map tips__map_like(float *data, const tips_map *map, const tips_padding *halo);
/* A thick or thin map with its halo, if that is all there is in its buffer. */
static inline size_t tips__map_buffer_bytes(const tips_map *map) {
    return (size_t)map->n * (size_t)map->sn * sizeof(float);
}
/* The map in a buffer that begins with the halo; NULL if there is none yet. */
static inline float *tips__map_inside(const tips_map *map, float *buffer, const tips_padding *halo) {
    return buffer ? buffer + halo->top * map->sh + (ptrdiff_t)halo->left * map->lanes : NULL;
}
bool tips__map_is_dense(const tips_map *map);

/* From and to plain NCHW; both, and the copy below, take thin maps. Unused channel lanes are zeroed on the way in. */
void tips__map_from_nchw(const tips_map *dst, const float *src);
void tips__map_to_nchw(const tips_map *src, float *dst);

#ifdef TIPS_BLOCK
/* The largest |x| of each lane of one plane. */
vf tips__plane_largest(const tips_map *map, int n, int block);
/* The sum of each lane of one plane, the same bits in whatever order its pixels come. */
vd tips__plane_sum(const tips_map *map, int n, int block);
#endif

void tips__map_zero(const tips_map *dst);
void tips__map_copy(const tips_map *dst, const tips_map *src); /* of as many lanes, or from thin to full */
void tips__map_add(const tips_map *dst, const tips_map *src);
/* Puts src into dst, or adds it where an earlier consumer has written already. */
void tips__map_emit(const tips_map *dst, const tips_map *src, bool accumulate);

#endif
