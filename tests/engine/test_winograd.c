/* Winograd's convolution against seven naive loops in double: forward with every finish, and both gradients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/memory.h"
#include "core/rng.h"
#include "core/threads.h"
#include "engine/engine.h"
#include "engine/winograd.h"
#include "support/compare.h"
#include "tensor/pad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define B tips__block()

typedef struct conv_case {
    tips_winograd s;
    size_t in, out, weights;               /* elements */
    double *x, *w, *y, *dy, *dx, *dw;      /* plain */
    float *bx, *bw, *by, *bdy, *bdx, *bdw; /* blocked and packed */
    tips_map mx, my, mdy, mdx;
} conv_case;

static double *draw(size_t count, uint64_t stream) {
    double *p = malloc(count * sizeof *p);
    for (size_t i = 0; i < count; i++) p[i] = (float)tips__rng_normal((tips_rng){7, stream}, i);
    return p;
}

static float *narrowed(const double *p, size_t count) {
    float *f = tips__alloc(count * sizeof *f);
    for (size_t i = 0; i < count; i++) f[i] = (float)p[i];
    return f;
}

static float *blocked(const double *plain, size_t count, int n, int c, int h, int w, tips_map *map) {
    float *nchw = narrowed(plain, count), *data = tips__alloc(tips__map_bytes(n, c, h, w, NULL));
    *map = tips__map_dense(data, n, c, h, w);
    tips__map_from_nchw(map, nchw);
    tips__free(nchw);
    return data;
}

static double source(const conv_case *c, const double *plane, int y, int x) {
    const tips_pad_mode mode = c->s.circular ? TIPS_PAD_CIRCULAR : TIPS_PAD_ZERO;
    const int sy = tips__pad_index(mode, y, c->s.h), sx = tips__pad_index(mode, x, c->s.w);
    return sy < 0 || sx < 0 ? 0 : plane[(ptrdiff_t)sy * c->s.w + sx];
}

static void add_source(const conv_case *c, double *plane, int y, int x, double v) {
    const tips_pad_mode mode = c->s.circular ? TIPS_PAD_CIRCULAR : TIPS_PAD_ZERO;
    const int sy = tips__pad_index(mode, y, c->s.h), sx = tips__pad_index(mode, x, c->s.w);
    if (sy >= 0 && sx >= 0) plane[(ptrdiff_t)sy * c->s.w + sx] += v;
}

static void naive(conv_case *c) {
    const tips_winograd *s = &c->s;
    const ptrdiff_t area = (ptrdiff_t)s->h * s->w;
    for (int n = 0; n < s->n; n++)
        for (int o = 0; o < s->oc; o++)
            for (int i = 0; i < s->ic; i++)
                for (int p = 0; p < area; p++)
                    for (int t = 0; t < 9; t++) {
                        const int y = (int)(p / s->w) + t / 3 - 1, x = (int)(p % s->w) + t % 3 - 1;
                        const double *from = c->x + ((ptrdiff_t)n * s->ic + i) * area;
                        const ptrdiff_t out = ((ptrdiff_t)n * s->oc + o) * area + p,
                                        tap = ((ptrdiff_t)o * s->ic + i) * 9 + t;
                        c->y[out] += c->w[tap] * source(c, from, y, x);
                        c->dw[tap] += c->dy[out] * source(c, from, y, x);
                        add_source(c, c->dx + ((ptrdiff_t)n * s->ic + i) * area, y, x, c->w[tap] * c->dy[out]);
                    }
}

static conv_case make_case(tips_winograd s) {
    conv_case c = {.s = s,
                   .in = (size_t)s.n * s.ic * s.h * s.w,
                   .out = (size_t)s.n * s.oc * s.h * s.w,
                   .weights = (size_t)s.ic * s.oc * 9};
    c.x = draw(c.in, 1), c.w = draw(c.weights, 2), c.dy = draw(c.out, 3);
    c.y = calloc(c.out, sizeof(double)), c.dx = calloc(c.in, sizeof(double)), c.dw = calloc(c.weights, sizeof(double));
    naive(&c);
    float *plain = narrowed(c.w, c.weights);
    c.bw = tips__alloc(c.weights * sizeof(float)), c.bdw = tips__alloc(c.weights * sizeof(float));
    tips__conv_weights_pack(s.oc, s.ic, 3, 3, 1, plain, c.bw);
    tips__free(plain);
    c.bx = blocked(c.x, c.in, s.n, s.ic, s.h, s.w, &c.mx), c.bdy = blocked(c.dy, c.out, s.n, s.oc, s.h, s.w, &c.mdy);
    c.by = blocked(c.y, c.out, s.n, s.oc, s.h, s.w, &c.my), c.bdx = blocked(c.dx, c.in, s.n, s.ic, s.h, s.w, &c.mdx);
    memset(c.by, 0, c.out * sizeof(float));
    memset(c.bdx, 0, c.in * sizeof(float));
    return c;
}

static void free_case(conv_case *c) {
    double *plain[] = {c->x, c->w, c->y, c->dy, c->dx, c->dw};
    float *packed[] = {c->bx, c->bw, c->by, c->bdy, c->bdx, c->bdw};
    for (int i = 0; i < 6; i++) free(plain[i]), tips__free(packed[i]);
}

/* F(4x4, 3x3) in single precision loses about two digits; a wrong tile is off by more than the whole value. */
static void assert_near(const float *got, const double *want, size_t count) {
    double largest = 0, worst = 0;
    for (size_t i = 0; i < count; i++) largest = test_larger(largest, fabs(want[i]));
    for (size_t i = 0; i < count; i++) worst = test_larger(worst, fabs(got[i] - want[i]));
    if (!(worst <= 2e-5 * largest)) fail_msg("largest error %g of %g", worst, largest);
}

static void assert_map_near(const tips_map *map, const double *want, size_t count) {
    float *nchw = malloc(count * sizeof *nchw);
    tips__map_to_nchw(map, nchw);
    assert_near(nchw, want, count);
    free(nchw);
}

static void forward(const tips_winograd *s, const tips_map *x, const float *weights, const float *scale,
                    const tips_finish *finish, const tips_map *y, void *scratch) {
    float *transformed = tips__alloc(tips__winograd_weight_floats(s) * sizeof *transformed);
    tips__winograd_weights(s, weights, scale, transformed);
    tips__winograd_forward(s, x, transformed, finish, y, scratch);
    tips__free(transformed);
}

/* Checks that it is handed what it should be. */
static void double_row(float *row, int floats, int block, const void *with) {
    assert_true(((const float *)with)[1] == 0.25f && block >= 0 && floats % B == 0);
    for (int i = 0; i < floats; i++) row[i] *= 2;
}

static void check_forward(conv_case *c, void *scratch) {
    double *want = malloc(c->out * sizeof *want);
    _Alignas(64) float bias[512], scale[512];
    for (int o = 0; o < c->s.oc; o++) bias[o] = 0.25f * (float)(o % 7), scale[o] = 0.5f + 0.125f * (float)(o % 5);
    forward(&c->s, &c->mx, c->bw, NULL, &(tips_finish){0}, &c->my, scratch);
    assert_map_near(&c->my, c->y, c->out);
    float *first = malloc(c->out * sizeof *first);
    memcpy(first, c->by, c->out * sizeof *first);
    memset(c->by, 0, c->out * sizeof *first);
    tips__winograd_packed_forward(&c->s, &c->mx, c->bw, &(tips_finish){0}, &c->my, scratch);
    assert_memory_equal(first, c->by, c->out * sizeof *first);
    free(first);
    const tips_finish all = {.bias = bias, .residual = &c->mdy, .clips = true, .high = INFINITY};
    forward(&c->s, &c->mx, c->bw, scale, &all, &c->my, scratch);
    const size_t area = (size_t)c->s.h * (size_t)c->s.w;
    for (size_t i = 0; i < c->out; i++) {
        const size_t o = i / area % (size_t)c->s.oc;
        want[i] = fmax(0, scale[o] * c->y[i] + c->dy[i] + bias[o]);
    }
    assert_map_near(&c->my, want, c->out);
    const tips_finish doubled = {.bias = bias, .function = double_row, .with = bias};
    forward(&c->s, &c->mx, c->bw, NULL, &doubled, &c->my, scratch);
    for (size_t i = 0; i < c->out; i++) want[i] = 2 * (c->y[i] + bias[i / area % (size_t)c->s.oc]);
    assert_map_near(&c->my, want, c->out);
    free(want);
}

static void check_backward(conv_case *c, void *scratch) {
    tips__winograd_backward_data(&c->s, &c->mdy, c->bw, false, &c->mdx, scratch);
    assert_map_near(&c->mdx, c->dx, c->in);
    tips__winograd_backward_data(&c->s, &c->mdy, c->bw, true, &c->mdx, scratch);
    for (size_t i = 0; i < c->in; i++) c->dx[i] *= 2;
    assert_map_near(&c->mdx, c->dx, c->in);
    tips__winograd_backward_weights(&c->s, &c->mx, &c->mdy, c->bdw, scratch);
    float *plain = malloc(c->weights * sizeof *plain);
    tips__conv_weights_unpack(c->s.oc, c->s.ic, 3, 3, 1, c->bdw, plain);
    assert_near(plain, c->dw, c->weights);
    free(plain);
}

static void run_case(tips_winograd s) {
    conv_case c = make_case(s);
    const size_t f = tips__winograd_packed_scratch(&s), b = tips__winograd_backward_scratch(&s);
    void *scratch = tips__alloc(f > b ? f : b);
    check_forward(&c, scratch);
    check_backward(&c, scratch);
    tips__free(scratch);
    free_case(&c);
}

static void every_size(void **state) {
    (void)state;
    for (int circular = 0; circular < 2; circular++)
        for (int h = 1; h <= 9; h++) run_case((tips_winograd){2, h, 10 - h, B, 2 * B, circular, NULL});
    run_case((tips_winograd){1, 14, 7, B, B, true, NULL});
    run_case((tips_winograd){1, 5, 23, B, B, false, NULL});
}

static void channels_and_batches(void **state) {
    (void)state;
    const int pairs[][2] = {{B, 3 * B}, {3 * B, B}, {4 * B, 5 * B}, {7 * B, 4 * B}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        run_case((tips_winograd){3, 6, 6, pairs[i][0], pairs[i][1], (i & 1) != 0, NULL});
    run_case((tips_winograd){37, 4, 4, 2 * B, B, true, NULL});        /* several chunks, the last one cut */
    run_case((tips_winograd){9, 16, 4, 9 * B, 4 * B, true, NULL});    /* weights by slices, the last one cut */
    run_case((tips_winograd){140, 4, 4, B, 9 * 16, true, NULL});      /* two groups of tiles that threads share */
    run_case((tips_winograd){30, 12, 12, 4 * B, 4 * B, false, NULL}); /* several groups of weight gradients */
}

/* The same bits with one thread and with three, and for a sample alone. */
static void bits_do_not_depend_on_threads_or_batch(void **state) {
    (void)state;
    conv_case c = make_case((tips_winograd){5, 9, 6, 3 * B, 2 * B, true, NULL});
    float *first = malloc(c.out * sizeof *first), *first_dw = malloc(c.weights * sizeof *first_dw);
    for (int threads = 1; threads <= 3; threads += 2) {
        tips__threads_set(threads);
        const size_t f = tips__winograd_forward_scratch(&c.s), b = tips__winograd_backward_scratch(&c.s);
        void *scratch = tips__alloc(f > b ? f : b);
        forward(&c.s, &c.mx, c.bw, NULL, &(tips_finish){0}, &c.my, scratch);
        tips__winograd_backward_weights(&c.s, &c.mx, &c.mdy, c.bdw, scratch);
        if (threads == 1)
            memcpy(first, c.by, c.out * sizeof *first), memcpy(first_dw, c.bdw, c.weights * sizeof *first_dw);
        assert_memory_equal(first, c.by, c.out * sizeof *first);
        assert_memory_equal(first_dw, c.bdw, c.weights * sizeof *first_dw);
        tips_winograd alone = c.s;
        alone.n = 1;
        tips_map x = c.mx, y = c.my;
        x.n = y.n = 1;
        x.data += 3 * x.sn;
        forward(&alone, &x, c.bw, NULL, &(tips_finish){0}, &y, scratch);
        assert_memory_equal(first + 3 * y.sn, c.by, (size_t)y.sn * sizeof *first);
        tips__free(scratch);
    }
    tips__threads_set(0);
    free(first);
    free(first_dw);
    free_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size),
        cmocka_unit_test(channels_and_batches),
        cmocka_unit_test(bits_do_not_depend_on_threads_or_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
