/* Weight gradients by Winograd's algorithm: tiles of the source and of the gradient as points, group by group; for each
 * point the outer products of the two, summed over all tiles; and the sums back to 3x3 taps. */
#include "engine/winograd.h"

#include "core/threads.h"
#include "engine/winograd_gemm.h"
#include "engine/winograd_tiles.h"

enum { B = TIPS_BLOCK, GROUP_BYTES = 1 << 20, FEWEST_TILES = 64 };

/* Tiles lie block by block, [point][block][tile][B]. */
typedef struct group_room {
    int tiles;
    ptrdiff_t v_plane, d_plane; /* floats from one point to the next */
    size_t v_floats, d_floats;
} group_room;

static group_room room_for_groups(const tips_winograd *s) {
    const size_t per_tile = WINO_POINTS * (size_t)(s->ic + s->oc) * sizeof(float);
    const int count = wino_tile(s).count, room = (int)(GROUP_BYTES / per_tile);
    const int most = room > FEWEST_TILES ? room : FEWEST_TILES;
    group_room r = {.tiles = wino_ceil(count, wino_ceil(count, most))};
    r.v_plane = (ptrdiff_t)r.tiles * s->ic + WINO_SKEW;
    r.d_plane = (ptrdiff_t)r.tiles * s->oc + WINO_SKEW;
    r.v_floats = wino_lines((size_t)r.v_plane * WINO_POINTS);
    r.d_floats = wino_lines((size_t)r.d_plane * WINO_POINTS);
    return r;
}

size_t tips__winograd_backward_scratch(const tips_winograd *s) {
    const tips_winograd t = wino_transposed(s);
    const group_room r = room_for_groups(s);
    const size_t weights = (tips__winograd_weight_floats(s) + r.v_floats + r.d_floats) * sizeof(float);
    const size_t data = tips__winograd_packed_scratch(&t);
    return weights > data ? weights : data;
}

static void collect_weights(const tips_winograd *s, const float *du, float *diff_weights) {
    const int in_blocks = s->ic / B, out_blocks = s->oc / B;
    TIPS_PARALLEL_FOR (pair, in_blocks * out_blocks) {
        const int ob = pair / in_blocks, ib = pair % in_blocks;
        for (int l = 0; l < B; l++) {
            vf points[WINO_POINTS], g[9];
            WINO_EACH(p, WINO_POINTS)
            points[p] = vf_load(du + ((ptrdiff_t)p * s->ic + ib * B + l) * s->oc + (ptrdiff_t)ob * B);
            wino_weights_adjoint_2d(points, g);
            WINO_EACH(t, 9)
            vf_store(diff_weights + (((ptrdiff_t)ob * in_blocks + ib) * 9 + t) * B * B + l * B, g[t]);
        }
    }
}

void tips__winograd_backward_weights(const tips_winograd *s, const tips_map *src, const tips_map *diff_dst,
                                     float *diff_weights, void *scratch) {
    const wino_tiling t = wino_tile(s);
    const group_room room = room_for_groups(s);
    float *du = scratch, *v = du + tips__winograd_weight_floats(s), *d = v + room.v_floats;
    const int strips = s->ic / B;
#pragma omp parallel num_threads(tips__threads())
    {
        for (int first = 0; first < t.count; first += room.tiles) {
            const int tiles = t.count - first < room.tiles ? t.count - first : room.tiles;
#pragma omp for schedule(static)
            for (int i = 0; i < tiles; i++) {
                const wino_place at = wino_place_of(&t, first + i);
                tips__wino_input(s, src, at, v + (ptrdiff_t)i * B, (ptrdiff_t)tiles * B, room.v_plane);
                tips__wino_gradient(s, diff_dst, at, d + (ptrdiff_t)i * B, (ptrdiff_t)tiles * B, room.d_plane);
            }
#pragma omp for collapse(2) schedule(static)
            for (int p = 0; p < WINO_POINTS; p++)
                for (int strip = 0; strip < strips; strip++)
                    tips__wino_outer(v + p * room.v_plane + (ptrdiff_t)strip * tiles * B, d + p * room.d_plane, tiles,
                                     s->oc, first == 0, du + ((ptrdiff_t)p * s->ic + strip * B) * s->oc);
        }
    }
    collect_weights(s, du, diff_weights);
}
