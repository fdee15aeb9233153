/* A 1x1 convolution and the depthwise one behind it in one go: the bits of one after the other, for kernels, strides,
 * dilations, borders, batches and widths of every kind, every finish, and any number of threads. */
#include "support/compare.h"

#include "core/memory.h"
#include "core/rng.h"
#include "core/threads.h"
#include "engine/engine.h"
#include "engine/expand_conv.h"
#include "tensor/pad.h"

#include <stdlib.h>
#include <string.h>

typedef struct shape {
    int n, in, channels, h, w;
    int kernel[2], stride[2], dilation[2];
    tips_padding padding;
} shape;

typedef struct pair {
    tips_map x, between, y, residual; /* x and residual with gaps */
    float *expand, *depthwise, *bias[2];
    float *made[8];
    int n_made;
    tips_direct conv;
} pair;

static const tips_padding gap = {.mode = TIPS_PAD_ZERO, .top = 1, .left = 2, .bottom = 0, .right = 1};

static float *drawn(pair *p, size_t floats, uint64_t stream) {
    float *out;
    expect_ok(tips__new_zero(&out, floats * sizeof *out, "numbers"));
    for (size_t i = 0; i < floats; i++) out[i] = (float)tips__rng_normal((tips_rng){5, stream}, i);
    return p->made[p->n_made++] = out;
}

static tips_map drawn_map(pair *p, int n, int c, int h, int w, const tips_padding *halo, uint64_t stream) {
    float *plain = test_floats((size_t)(n * c * h * w));
    for (int i = 0; i < n * c * h * w; i++) plain[i] = (float)tips__rng_normal((tips_rng){5, stream}, (uint64_t)i);
    float *buffer;
    expect_ok(tips__new_zero(&buffer, tips__map_bytes(n, c, h, w, halo), "a map"));
    const tips_map map = tips__map_haloed(buffer, n, c, h, w, halo);
    tips__map_from_nchw(&map, plain);
    free(plain);
    p->made[p->n_made++] = buffer;
    return map;
}

static int extent(const shape *s, int axis) {
    const int size = axis ? s->w + s->padding.left + s->padding.right : s->h + s->padding.top + s->padding.bottom;
    return (size - (s->kernel[axis] - 1) * s->dilation[axis] - 1) / s->stride[axis] + 1;
}

/* Channels that only fill up a block have no weights and no bias. */
static void clear_missing(float *bias, int channels) {
    for (int i = channels; i < tips__padded(channels); i++) bias[i] = 0;
}

static pair make(const shape *s) {
    test_case("%d to %d channels on %d times %dx%d, %dx%d kernel, stride %dx%d, dilation %dx%d, mode %d", s->in,
              s->channels, s->n, s->h, s->w, s->kernel[0], s->kernel[1], s->stride[0], s->stride[1], s->dilation[0],
              s->dilation[1], (int)s->padding.mode);
    pair p = {.conv = {.kh = s->kernel[0], .kw = s->kernel[1], .sh = s->stride[0], .sw = s->stride[1],
                       .dh = s->dilation[0], .dw = s->dilation[1], .top = s->padding.top, .left = s->padding.left,
                       .groups = 1}};
    const int taps = s->kernel[0] * s->kernel[1];
    p.x = drawn_map(&p, s->n, s->in, s->h, s->w, &gap, 1);
    p.between = drawn_map(&p, s->n, s->channels, s->h, s->w, &s->padding, 2);
    p.y = drawn_map(&p, s->n, s->channels, extent(s, 0), extent(s, 1), &(tips_padding){0}, 3);
    p.residual = drawn_map(&p, s->n, s->channels, extent(s, 0), extent(s, 1), &gap, 4);
    float *plain = test_floats((size_t)(s->channels * (s->in > taps ? s->in : taps)));
    for (int i = 0; i < s->channels * (s->in > taps ? s->in : taps); i++)
        plain[i] = (float)tips__rng_normal((tips_rng){5, 5}, (uint64_t)i);
    p.expand = drawn(&p, tips__conv_weight_floats(s->channels, s->in, 1, 1, 1), 6);
    tips__conv_weights_pack(s->channels, s->in, 1, 1, 1, plain, p.expand);
    p.depthwise = drawn(&p, (size_t)(tips__padded(s->channels) * taps), 7);
    tips__conv_weights_pack(s->channels, s->channels, s->kernel[0], s->kernel[1], s->channels, plain, p.depthwise);
    p.bias[0] = drawn(&p, (size_t)(2 * tips__padded(s->channels)), 8);
    p.bias[1] = p.bias[0] + tips__padded(s->channels);
    for (int i = 0; i < 2; i++) clear_missing(p.bias[i], s->channels);
    free(plain);
    return p;
}

static void halve_row(float *row, int floats, int block, const void *with) {
    for (int i = 0; i < floats; i++) row[i] *= *(const float *)with / (float)(block + 2);
}

static float *plain_of(const tips_map *map) {
    float *plain = test_floats((size_t)(map->n * map->c * map->h * map->w));
    tips__map_to_nchw(map, plain);
    return plain;
}

static void expect_bits_of_both(const shape *s, pair *p, const tips_finish *first, const tips_finish *second) {
    const tips_direct pointwise = {.kh = 1, .kw = 1, .sh = 1, .sw = 1, .dh = 1, .dw = 1, .groups = 1};
    tips__direct_forward(&pointwise, &p->x, p->expand, first, &p->between);
    tips__halo_fill(&p->between, &s->padding);
    tips__depthwise_forward(&p->conv, &p->between, p->depthwise, second, &p->y);
    float *want = plain_of(&p->y);
    const tips_expand expand = {p->expand, *first};
    for (int threads = 1; threads <= 5; threads += 2) {
        tips__threads_set(threads);
        tips__map_zero(&p->y);
        float *scratch;
        const size_t bytes = tips__expand_scratch(&p->conv, &s->padding, s->w, s->channels);
        expect_ok(tips__new(&scratch, bytes, "rings"));
        memset(scratch, 0xff, bytes); /* not a number, wherever a row was not made */
        tips__expand_forward(&expand, &p->x, &p->conv, &s->padding, p->depthwise, second, &p->y, scratch);
        float *got = plain_of(&p->y);
        assert_memory_equal(got, want, (size_t)(p->y.n * p->y.c * p->y.h * p->y.w) * sizeof(float));
        free(got);
        tips__free(scratch);
    }
    tips__threads_set(0);
    free(want);
}

static void check(const shape *s) {
    pair p = make(s);
    const float two = 2;
    const tips_finish plain = {.bias = p.bias[0]};
    const tips_finish clipped = {.bias = p.bias[1], .clips = true, .low = -1, .high = 6};
    const tips_finish function = {.bias = p.bias[0], .function = halve_row, .with = &two};
    const tips_finish added = {.residual = &p.residual};
    expect_bits_of_both(s, &p, &plain, &plain);
    expect_bits_of_both(s, &p, &clipped, &function);
    expect_bits_of_both(s, &p, &function, &clipped);
    expect_bits_of_both(s, &p, &(tips_finish){0}, &added);
    for (int i = 0; i < p.n_made; i++) tips__free(p.made[i]);
}

#define PAD(m, t, l, b, r) {.mode = TIPS_PAD_##m, .top = t, .left = l, .bottom = b, .right = r}

static void test_shapes(void **state) {
    (void)state;
    const shape cases[] = {
        {1, 16, 96, 30, 28, {3, 3}, {2, 2}, {1, 1}, PAD(ZERO, 1, 1, 1, 1)},
        {2, 24, 144, 14, 14, {3, 3}, {1, 1}, {1, 1}, PAD(ZERO, 1, 1, 1, 1)},
        {1, 40, 240, 13, 11, {5, 5}, {1, 1}, {1, 1}, PAD(ZERO, 2, 2, 2, 2)},
        {3, 20, 120, 15, 17, {5, 5}, {2, 2}, {1, 1}, PAD(ZERO, 2, 2, 2, 2)},
        {2, 33, 65, 7, 7, {3, 3}, {1, 1}, {1, 1}, PAD(CIRCULAR, 1, 1, 1, 1)},
        {1, 12, 50, 9, 10, {5, 3}, {1, 2}, {1, 1}, PAD(CIRCULAR, 2, 1, 2, 1)},
        {1, 12, 50, 9, 10, {3, 3}, {1, 1}, {2, 3}, PAD(CIRCULAR, 2, 3, 2, 3)},
        {1, 12, 50, 9, 10, {3, 3}, {3, 1}, {2, 1}, PAD(REFLECT, 2, 1, 2, 1)},
        {1, 7, 30, 8, 9, {3, 5}, {1, 1}, {1, 1}, PAD(REPLICATE, 1, 2, 1, 2)},
        {1, 7, 30, 8, 9, {2, 4}, {1, 1}, {1, 1}, PAD(ZERO, 0, 1, 1, 2)},
        {1, 7, 30, 12, 9, {1, 1}, {3, 2}, {1, 1}, PAD(ZERO, 0, 0, 0, 0)},
        {1, 7, 30, 12, 9, {3, 3}, {5, 4}, {1, 1}, PAD(ZERO, 0, 0, 0, 0)},
        {2, 5, 9, 2, 2, {5, 5}, {1, 1}, {1, 1}, PAD(CIRCULAR, 2, 2, 2, 2)},
        {1, 3, 2, 1, 1, {3, 3}, {1, 1}, {1, 1}, PAD(ZERO, 1, 1, 1, 1)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

static void test_widths(void **state) {
    (void)state;
    for (int w = 1; w <= 30; w++)
        for (int channels = 16; channels <= 80; channels += 32)
            check(&(shape){1, 9, channels, 5, w, {3, 3}, {1, 1}, {1, 1}, PAD(ZERO, 1, 1, 1, 1)});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
