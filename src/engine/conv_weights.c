/* Weight layouts: [O/B][I/B][kh][kw][B in][B out] for dense and blocked groups, [C/B][kh][kw][B] for depthwise.
 * Groups smaller than a block are written as one dense kernel that is zero off its diagonal blocks. */
#include "engine/engine.h"

#include "core/threads.h"
#include "tensor/map.h"

#include <string.h>

tips_group_plan tips__group_plan(int ic, int oc, int groups) {
    if (groups == 1) return TIPS_GROUPS_DENSE;
    if (groups == ic && groups == oc) return TIPS_GROUPS_DEPTHWISE;
    const bool whole = ic / groups % TIPS_BLOCK == 0 && oc / groups % TIPS_BLOCK == 0;
    return whole ? TIPS_GROUPS_BLOCKED : TIPS_GROUPS_DENSE;
}

size_t tips__conv_weight_floats(int oc, int ic, int kh, int kw, int groups) {
    const size_t taps = (size_t)kh * (size_t)kw;
    switch (tips__group_plan(ic, oc, groups)) {
    case TIPS_GROUPS_DEPTHWISE: return (size_t)tips__padded(oc) * taps;
    case TIPS_GROUPS_BLOCKED: return (size_t)oc * (size_t)(ic / groups) * taps;
    case TIPS_GROUPS_DENSE: break;
    }
    return (size_t)tips__padded(oc) * (size_t)tips__padded(ic) * taps;
}

/* Where tap `tap` of a dense tile lies that output o and input `in` of `in_blocks` blocks belong to. */
static size_t dense_place(int o, int in, int in_blocks, size_t taps, size_t tap) {
    enum { B = TIPS_BLOCK };
    const size_t tile = ((size_t)(o / B) * (size_t)in_blocks + (size_t)(in / B)) * taps + tap;
    return tile * B * B + (size_t)(in % B * B + o % B);
}

/* Where weight (o, i, y, x) of a plain (oc, ic/groups, kh, kw) tensor lies. */
static size_t place(int oc, int ic, int kh, int kw, int groups, int o, int i, int y, int x) {
    enum { B = TIPS_BLOCK };
    const size_t tap = (size_t)(y * kw + x), taps = (size_t)(kh * kw);
    if (tips__group_plan(ic, oc, groups) == TIPS_GROUPS_DEPTHWISE)
        return ((size_t)(o / B) * taps + tap) * B + (size_t)(o % B);
    int in = i, in_blocks = ic / groups / B;
    if (tips__group_plan(ic, oc, groups) == TIPS_GROUPS_DENSE) {
        in = o / (oc / groups) * (ic / groups) + i;
        in_blocks = tips__blocks(ic);
    }
    return dense_place(o, in, in_blocks, taps, tap);
}

#define FOR_EACH_WEIGHT(o, i, y, x)           \
    for (int o = 0; o < oc; o++)              \
        for (int i = 0; i < ic / groups; i++) \
            for (int y = 0; y < kh; y++)      \
                for (int x = 0; x < kw; x++)

/* ---- one group, or groups of whole blocks: tile after tile, each of them B outputs by B inputs by the taps ---- */

#if TIPS_BLOCK == 16
#define LANES(f, d) \
    f(0, d), f(1, d), f(2, d), f(3, d), f(4, d), f(5, d), f(6, d), f(7, d), f(8, d), f(9, d), f(10, d), f(11, d), \
        f(12, d), f(13, d), f(14, d), f(15, d)
#else
#define LANES(f, d) f(0, d), f(1, d), f(2, d), f(3, d), f(4, d), f(5, d), f(6, d), f(7, d)
#endif
#define UPPER(l, d) ((l) & (d) ? TIPS_BLOCK + (l) - (d) : (l))
#define LOWER(l, d) ((l) & (d) ? TIPS_BLOCK + (l) : (l) + (d))
/* Swaps the corners of all squares of 2d x 2d. */
#define SWAP_CORNERS(rows, d)                                                              \
    for (int r = 0; r < TIPS_BLOCK; r++) {                                                 \
        if (r & (d)) continue;                                                             \
        const vf a = rows[r], b = rows[r + (d)];                                           \
        rows[r] = __builtin_shufflevector(a, b, LANES(UPPER, d));                          \
        rows[r + (d)] = __builtin_shufflevector(a, b, LANES(LOWER, d));                    \
    }

static inline void transpose_block(vf rows[TIPS_BLOCK]) {
    SWAP_CORNERS(rows, 1)
    SWAP_CORNERS(rows, 2)
    SWAP_CORNERS(rows, 4)
#if TIPS_BLOCK == 16
    SWAP_CORNERS(rows, 8)
#endif
}

/* `from`: the first of B outputs, of which one is `row` numbers long. */
static void pack_whole_tile(const float *from, size_t row, int taps, float *packed) {
    enum { B = TIPS_BLOCK };
    int i = 0, t = 0;
    for (int piece = 0; piece < taps; piece++) {
        vf rows[B];
        for (int o = 0; o < B; o++) memcpy(&rows[o], from + (size_t)o * row + (size_t)piece * B, sizeof rows[o]);
        transpose_block(rows);
        for (int r = 0; r < B; r++) {
            vf_store(packed + ((size_t)t * B + (size_t)i) * B, rows[r]);
            if (++t == taps) t = 0, i++;
        }
    }
}

static void pack_part_of_tile(const float *from, size_t row, int taps, int outputs, int inputs, float *packed) {
    enum { B = TIPS_BLOCK };
    memset(packed, 0, (size_t)taps * B * B * sizeof(float));
    for (int o = 0; o < outputs; o++)
        for (int i = 0; i < inputs; i++)
            for (int t = 0; t < taps; t++)
                packed[((size_t)t * B + (size_t)i) * B + (size_t)o] = from[(size_t)o * row + (size_t)(i * taps + t)];
}

static void pack_tiles(int oc, int inputs, int taps, const float *plain, float *packed) {
    enum { B = TIPS_BLOCK };
    const size_t row = (size_t)inputs * (size_t)taps;
    for (int first = 0; first < oc; first += B)
        for (int in = 0; in < inputs; in += B, packed += (size_t)taps * B * B) {
            const float *from = plain + (size_t)first * row + (size_t)in * (size_t)taps;
            const int outputs = oc - first, left = inputs - in;
            if (outputs >= B && left >= B) pack_whole_tile(from, row, taps, packed);
            else pack_part_of_tile(from, row, taps, outputs < B ? outputs : B, left < B ? left : B, packed);
        }
}

void tips__conv_weights_pack(int oc, int ic, int kh, int kw, int groups, const float *plain, float *packed) {
    if (groups == 1 || tips__group_plan(ic, oc, groups) == TIPS_GROUPS_BLOCKED) {
        pack_tiles(oc, ic / groups, kh * kw, plain, packed);
        return;
    }
    memset(packed, 0, tips__conv_weight_floats(oc, ic, kh, kw, groups) * sizeof(float));
    FOR_EACH_WEIGHT(o, i, y, x) packed[place(oc, ic, kh, kw, groups, o, i, y, x)] = *plain++;
}

void tips__conv_weights_unpack(int oc, int ic, int kh, int kw, int groups, const float *packed, float *plain) {
    FOR_EACH_WEIGHT(o, i, y, x) *plain++ = packed[place(oc, ic, kh, kw, groups, o, i, y, x)];
}

void tips__conv_weights_mask(int oc, int ic, int kh, int kw, int groups, float *packed) {
    if (groups == 1 || tips__group_plan(ic, oc, groups) != TIPS_GROUPS_DENSE) return;
    const size_t taps = (size_t)(kh * kw);
    for (int o = 0; o < tips__padded(oc); o++)
        for (int in = 0; in < tips__padded(ic); in++) {
            if (o < oc && in < ic && o / (oc / groups) == in / (ic / groups)) continue;
            for (size_t t = 0; t < taps; t++) packed[dense_place(o, in, tips__blocks(ic), taps, t)] = 0;
        }
}

void tips__conv_weights_for_backward(int oc, int ic, int kh, int kw, int groups, const float *packed, float *out) {
    enum { B = TIPS_BLOCK };
    const size_t floats = tips__conv_weight_floats(oc, ic, kh, kw, groups);
    if (tips__group_plan(ic, oc, groups) == TIPS_GROUPS_DEPTHWISE) {
        memcpy(out, packed, floats * sizeof(float));
        return;
    }
    const size_t tiles = floats / (B * B);
#pragma omp parallel for schedule(static) num_threads(tips__threads())
    for (size_t t = 0; t < tiles; t++)
        for (int i = 0; i < B; i++)
            for (int o = 0; o < B; o++) out[t * B * B + (size_t)(o * B + i)] = packed[t * B * B + (size_t)(i * B + o)];
}
