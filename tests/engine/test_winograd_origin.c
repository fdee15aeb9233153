/* Tiles that begin where the picture says: origins move along with every shift, and so do the bits of Winograd's
 * convolution. Its plain tiles, as a control, do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/rng.h"
#include "core/threads.h"
#include "engine/engine.h"
#include "engine/winograd_origin.h"

#include <stdlib.h>
#include <string.h>

#define B tips__block()

/* Pictures with less and less to tell pixels apart. */
typedef enum picture { NOISE, FEW_VALUES, ONE_SPOT, EDGE, STRIPES, TILED, FLAT, PICTURES } picture;

static float value_at(picture kind, int h, int w, int c, int y, int x) {
    const uint64_t at = (uint64_t)((c * h + y) * w + x);
    const double drawn = tips__rng_normal((tips_rng){11, (uint64_t)kind}, at);
    switch (kind) {
    case NOISE: return (float)drawn;
    case FEW_VALUES: return drawn > 0.3 ? 1 : 0;
    case ONE_SPOT: return y == h / 2 && x == w / 3;
    case EDGE: return x < w / 2 ? -1.5f : 0.25f;
    case STRIPES: return (float)(y % 2);
    case TILED: return (float)(y % 3 * 7 + x % 2 + c);
    default: return 2.5f;
    }
}

/* A batch of one picture and its shifts: sample n is moved by (n / w, n % w). */
static tips_map shifted_batch(picture kind, int c, int h, int w) {
    const int n = h * w;
    float *plain = malloc((size_t)n * c * h * w * sizeof *plain);
    for (int s = 0; s < n; s++)
        for (int i = 0; i < c; i++)
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++) {
                    const int to_y = (y + s / w) % h, to_x = (x + s % w) % w;
                    plain[((s * c + i) * h + to_y) * w + to_x] = value_at(kind, h, w, i, y, x);
                }
    const tips_map map = tips__map_dense(tips__alloc(tips__map_bytes(n, c, h, w, NULL)), n, c, h, w);
    tips__map_from_nchw(&map, plain);
    free(plain);
    return map;
}

static void find_origins(const tips_map *map, tips_place *origins) {
    void *scratch = tips__alloc(tips__origins_scratch(map->n, map->h, map->w));
    tips__origins_find(map, origins, scratch);
    tips__free(scratch);
}

static const float *pixel_from(const tips_map *map, int n, int b, tips_place origin, int y, int x) {
    return tips__row(map, n, b, (origin.y + y) % map->h) + (ptrdiff_t)((origin.x + x) % map->w) * B;
}

/* Every sample, seen from its own place, is what sample 0 is from its. */
static bool all_look_alike(const tips_map *map, const tips_place *from) {
    for (int n = 1; n < map->n; n++)
        for (int b = 0; b < map->blocks; b++)
            for (int y = 0; y < map->h; y++)
                for (int x = 0; x < map->w; x++)
                    if (memcmp(pixel_from(map, 0, b, from[0], y, x), pixel_from(map, n, b, from[n], y, x),
                               (size_t)B * sizeof(float)) != 0)
                        return false;
    return true;
}

static const int sizes[][2] = {{8, 8}, {7, 5}, {14, 14}, {1, 9}, {6, 1}, {3, 2}, {12, 10}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A picture that repeats itself has no origin, under no shift; others have one. */
static void check_whether_there(int kind, const tips_map *map, tips_place *origins) {
    for (int n = 1; n < map->n; n++) assert_int_equal(origins[n].y < 0, origins[0].y < 0);
    if (kind == NOISE || kind == ONE_SPOT) assert_true(origins[0].y >= 0);
    if (kind == FLAT && map->n > 1) assert_true(origins[0].y < 0);
    if (kind == EDGE && map->h > 1) assert_true(origins[0].y < 0);
    if (kind == TILED && map->h % 6 == 0) assert_true(origins[0].y < 0);
    for (int n = 0; n < map->n; n++)
        if (origins[n].y < 0) origins[n] = (tips_place){n / map->w, n % map->w}; /* its shift */
}

static void origins_follow_every_shift(void **state) {
    (void)state;
    for (int kind = 0; kind < PICTURES; kind++)
        for (int i = 0; i < SIZES; i++)
            for (int c = 1; c <= 2 * B; c += 2 * B - 1) {
                const tips_map map = shifted_batch((picture)kind, c, sizes[i][0], sizes[i][1]);
                tips_place *origins = malloc((size_t)map.n * sizeof *origins);
                find_origins(&map, origins);
                check_whether_there(kind, &map, origins);
                if (!all_look_alike(&map, origins))
                    fail_msg("picture %d of %dx%d, %d channels: origins do not follow", kind, map.h, map.w, c);
                free(origins);
                tips__free(map.data);
            }
}

/* Where a shift takes the first sample's first pixel. */
static tips_place *true_shifts(int n, int w) {
    tips_place *shifts = malloc((size_t)n * sizeof *shifts);
    for (int i = 0; i < n; i++) shifts[i] = (tips_place){i / w, i % w};
    return shifts;
}

static float *transformed_weights(const tips_winograd *s) {
    const size_t count = (size_t)s->ic * (size_t)s->oc * 9;
    float *plain = malloc(count * sizeof *plain), *packed = tips__alloc(count * sizeof *packed);
    for (size_t i = 0; i < count; i++) plain[i] = (float)tips__rng_normal((tips_rng){5, 6}, i);
    tips__conv_weights_pack(s->oc, s->ic, 3, 3, 1, plain, packed);
    float *transformed = tips__alloc(tips__winograd_weight_floats(s) * sizeof *transformed);
    tips__winograd_weights(s, packed, NULL, transformed);
    tips__free(packed);
    free(plain);
    return transformed;
}

static void halve(float *row, int floats, int block, const void *with) {
    (void)block, (void)with;
    for (int i = 0; i < floats; i++) row[i] *= 0.5f;
}

/* Whether the outputs of all shifts are the same bits, shifted; the residual is the source, which is shifted too. */
static bool bits_follow(picture kind, int h, int w, bool anchored) {
    const tips_map x = shifted_batch(kind, 2 * B, h, w), y = shifted_batch(FLAT, 2 * B, h, w);
    tips_place *origins = malloc((size_t)x.n * sizeof *origins), *shifts = true_shifts(x.n, w);
    find_origins(&x, origins);
    const bool there = origins[0].y >= 0;
    const tips_winograd s = {x.n, h, w, 2 * B, 2 * B, true, anchored && there ? origins : NULL};
    float *weights = transformed_weights(&s);
    void *scratch = tips__alloc(tips__winograd_forward_scratch(&s));
    tips__winograd_forward(&s, &x, weights, &(tips_finish){.residual = &x, .function = halve}, &y, scratch);
    const bool follow = !there || all_look_alike(&y, shifts);
    tips__free(scratch);
    tips__free(weights);
    free(origins);
    free(shifts);
    tips__free(x.data);
    tips__free(y.data);
    return follow;
}

static void bits_follow_every_shift(void **state) {
    (void)state;
    for (int kind = 0; kind < PICTURES; kind++)
        for (int i = 0; i < SIZES; i++)
            if (!bits_follow((picture)kind, sizes[i][0], sizes[i][1], true))
                fail_msg("picture %d of %dx%d: bits do not follow", kind, sizes[i][0], sizes[i][1]);
}

static void plain_tiles_do_not(void **state) {
    (void)state;
    assert_false(bits_follow(NOISE, 8, 8, false));
    assert_false(bits_follow(NOISE, 7, 5, false));
}

/* What is computed is the convolution, wherever tiles begin. */
static void origins_change_but_the_rounding(void **state) {
    (void)state;
    enum { H = 10, W = 7 };
    const tips_map x = shifted_batch(NOISE, B, H, W), y = shifted_batch(FLAT, B, H, W),
                   z = shifted_batch(FLAT, B, H, W);
    tips_place *shifts = true_shifts(x.n, W);
    tips_winograd s = {x.n, H, W, B, B, true, NULL};
    float *weights = transformed_weights(&s);
    void *scratch = tips__alloc(tips__winograd_forward_scratch(&s));
    tips__winograd_forward(&s, &x, weights, &(tips_finish){0}, &y, scratch);
    s.origins = shifts;
    tips__winograd_forward(&s, &x, weights, &(tips_finish){0}, &z, scratch);
    for (ptrdiff_t i = 0; i < x.n * x.sn; i++) assert_float_equal(y.data[i], z.data[i], 1e-3);
    tips__free(scratch);
    tips__free(weights);
    free(shifts);
    tips__free(x.data);
    tips__free(y.data);
    tips__free(z.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(origins_follow_every_shift),
        cmocka_unit_test(bits_follow_every_shift),
        cmocka_unit_test(plain_tiles_do_not),
        cmocka_unit_test(origins_change_but_the_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
