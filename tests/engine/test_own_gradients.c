/* Gradients of convolutions by our own kernels, for what oneDNN has only its reference for and for few channels: every
 * sum against plain loops, for strides, dilations, borders and groups of every kind. */
#include "support/compare.h"

#include "core/memory.h"
#include "core/rng.h"
#include "core/threads.h"
#include "engine/few_conv.h"
#include "engine/spare_conv.h"
#include "tensor/map.h"

#include <stdlib.h>
#include <string.h>

static const tips_conv_shape cases[] = {
    /* With a block of 8. n ic ih iw oc oh ow kh kw sh sw dh dw groups top left bottom right, all used */
    {2, 8, 15, 17, 16, 3, 4, 11, 11, 4, 4, 1, 1, 1, 2, 2, 2, 2, 0, 0},
    {1, 16, 9, 7, 8, 9, 7, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0},
    {3, 24, 10, 12, 24, 8, 10, 5, 5, 1, 1, 1, 1, 24, 1, 1, 1, 1, 0, 0},
    {2, 32, 16, 16, 32, 8, 8, 5, 5, 1, 1, 2, 2, 32, 0, 0, 0, 0, 0, 0},
    {2, 8, 13, 11, 8, 5, 4, 7, 5, 2, 3, 1, 2, 8, 1, 3, 1, 4, 0, 0},
    {2, 32, 8, 9, 16, 4, 5, 3, 3, 2, 2, 1, 1, 2, 1, 1, 1, 1, 0, 0},
    {1, 8, 6, 40, 8, 6, 40, 1, 9, 1, 1, 1, 1, 1, 0, 4, 0, 4, 0, 0},
    {1, 16, 5, 5, 16, 1, 1, 5, 5, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0},
};

/* Channels of one block, of which some are used, and of two blocks on the other side. */
static const tips_conv_shape few_inputs[] = {
    /* n ic ih iw oc oh ow kh kw sh sw dh dw groups top left bottom right used_ic used_oc */
    {2, 8, 22, 25, 16, 16, 19, 7, 7, 1, 1, 1, 1, 1, 0, 0, 0, 0, 3, 0},
    {3, 8, 9, 12, 8, 4, 5, 3, 3, 2, 2, 1, 1, 1, 0, 0, 0, -1, 1, 0},
    {1, 8, 11, 8, 16, 7, 6, 3, 3, 1, 1, 2, 1, 1, 0, 0, 0, 0, 4, 0},
    {40, 8, 5, 5, 8, 3, 3, 3, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 0},
    {2, 8, 30, 30, 8, 20, 20, 11, 11, 1, 1, 1, 1, 1, 0, 0, 0, 0, 4, 0},
};
static const tips_conv_shape few_outputs[] = {
    {2, 16, 18, 21, 8, 16, 19, 3, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 2},
    {1, 8, 9, 7, 8, 9, 7, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1},
    {3, 16, 12, 9, 8, 6, 5, 4, 5, 1, 1, 2, 1, 1, 0, 0, 0, 0, 0, 4},
    {2, 8, 10, 10, 8, 8, 8, 3, 3, 1, 1, 1, 1, 1, 0, 0, 0, 0, 4, 3},
};

typedef struct trial {
    tips_conv_shape s;
    size_t in, out, weights;
    float *x, *dy, *w;                  /* plain */
    float *bx, *bdy, *bw, *bdx;         /* blocked */
} trial;

static void draw(float *out, size_t count, uint64_t stream) {
    for (size_t i = 0; i < count; i++) out[i] = (float)tips__rng_normal((tips_rng){7, stream}, i);
}

/* Blocked buffers are read in whole vectors. */
static float *aligned_floats(size_t count) {
    float *floats = tips__alloc(count * sizeof *floats);
    assert_non_null(floats);
    memset(floats, 0, count * sizeof *floats);
    return floats;
}

static tips_map blocked(float *data, int n, int c, int h, int w) { return tips__map_dense(data, n, c, h, w); }

/* The engine takes whole blocks, so that a wider block has more channels. */
static tips_conv_shape in_blocks(tips_conv_shape s) {
    const int times = tips__block() / 8;
    if (s.groups == s.ic) s.groups *= times;
    s.ic *= times;
    s.oc *= times;
    return s;
}

/* Channels that are padding are zero. */
static void clear_padding(float *plain, int n, int channels, int used, size_t area) {
    if (used == 0) return;
    for (int i = 0; i < n * channels; i++)
        if (i % channels >= used) memset(plain + (size_t)i * area, 0, area * sizeof *plain);
}

static trial make(const tips_conv_shape *shape) {
    trial t = {.s = in_blocks(*shape)};
    const tips_conv_shape *s = &t.s;
    t.in = (size_t)s->n * (size_t)(s->ic * s->ih * s->iw);
    t.out = (size_t)s->n * (size_t)(s->oc * s->oh * s->ow);
    t.weights = (size_t)(s->oc * (s->ic / s->groups) * s->kh * s->kw);
    t.x = test_floats(t.in), t.dy = test_floats(t.out), t.w = test_floats(t.weights);
    t.bx = aligned_floats(t.in), t.bdx = aligned_floats(t.in), t.bdy = aligned_floats(t.out);
    t.bw = aligned_floats(tips__conv_weight_floats(s->oc, s->ic, s->kh, s->kw, s->groups));
    draw(t.x, t.in, 1);
    draw(t.dy, t.out, 2);
    draw(t.w, t.weights, 3);
    clear_padding(t.x, s->n, s->ic, s->used_ic, (size_t)(s->ih * s->iw));
    clear_padding(t.dy, s->n, s->oc, s->used_oc, (size_t)(s->oh * s->ow));
    const tips_map x = blocked(t.bx, s->n, s->ic, s->ih, s->iw), dy = blocked(t.bdy, s->n, s->oc, s->oh, s->ow);
    tips__map_from_nchw(&x, t.x);
    tips__map_from_nchw(&dy, t.dy);
    tips__conv_weights_pack(s->oc, s->ic, s->kh, s->kw, s->groups, t.w, t.bw);
    test_case("%dx%d kernel, stride %dx%d, dilation %dx%d, %d groups", s->kh, s->kw, s->sh, s->sw, s->dh, s->dw,
              s->groups);
    return t;
}

static void finish(trial *t) {
    float *plain[] = {t->x, t->dy, t->w}, *aligned[] = {t->bx, t->bdy, t->bw, t->bdx};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) free(plain[i]);
    for (size_t i = 0; i < sizeof aligned / sizeof *aligned; i++) tips__free(aligned[i]);
}

/* Every product of a convolution: visits (output, input, weight) as plain indices. */
static void each_product(const tips_conv_shape *s, void (*visit)(void *, size_t, size_t, size_t), void *context) {
    const int icg = s->ic / s->groups, ocg = s->oc / s->groups;
    for (int n = 0; n < s->n; n++)
        for (int o = 0; o < s->oc; o++)
            for (int y = 0; y < s->oh; y++)
                for (int x = 0; x < s->ow; x++)
                    for (int i = 0; i < icg; i++)
                        for (int a = 0; a < s->kh; a++)
                            for (int b = 0; b < s->kw; b++) {
                                const int row = y * s->sh - s->top + a * s->dh,
                                          column = x * s->sw - s->left + b * s->dw;
                                if (row < 0 || row >= s->ih || column < 0 || column >= s->iw) continue;
                                const int c = o / ocg * icg + i;
                                visit(context, (size_t)(((n * s->oc + o) * s->oh + y) * s->ow + x),
                                      (size_t)(((n * s->ic + c) * s->ih + row) * s->iw + column),
                                      (size_t)(((o * icg + i) * s->kh + a) * s->kw + b));
                            }
}

typedef struct sums {
    const trial *t;
    double *dx, *dw;
} sums;

static void add_product(void *context, size_t out, size_t in, size_t weight) {
    const sums *s = context;
    s->dx[in] += (double)s->t->dy[out] * s->t->w[weight];
    s->dw[weight] += (double)s->t->dy[out] * s->t->x[in];
}

static void check_map(const char *what, const tips_map *map, const double *want, size_t count) {
    float *plain = test_floats(count);
    tips__map_to_nchw(map, plain);
    expect_close(what, plain, want, count, 2e-6);
    free(plain);
}

typedef struct kernels {
    bool data; /* whether there is one */
    void (*backward_data)(const tips_conv_shape *, const float *, const float *, float *, void *);
    void (*backward_weights)(const tips_conv_shape *, const float *, const float *, float *, void *);
} kernels;

static void spare_data(const tips_conv_shape *s, const float *dy, const float *weights, float *dx, void *scratch) {
    (void)scratch;
    tips__spare_backward_data(s, dy, weights, dx);
}

static void spare_weights(const tips_conv_shape *s, const float *x, const float *dy, float *dw, void *scratch) {
    (void)scratch;
    tips__spare_backward_weights(s, x, dy, dw);
}

static const kernels spare = {true, spare_data, spare_weights};
static const kernels few = {true, tips__few_backward_data, tips__few_backward_weights};
static const kernels few_weights = {false, NULL, tips__few_backward_weights};

static void *scratch_for(tips_conv_kind kind, const tips_conv_shape *s) {
    if (!tips__few_pays(kind, s)) return NULL;
    void *scratch = tips__alloc(tips__few_scratch(kind, s));
    assert_non_null(scratch);
    return scratch;
}

static void check(const tips_conv_shape *shape, const kernels *by) {
    trial t = make(shape);
    const tips_conv_shape *s = &t.s;
    sums want = {&t, calloc(t.in, sizeof(double)), calloc(t.weights, sizeof(double))};
    float *turned = aligned_floats(tips__conv_weight_floats(s->oc, s->ic, s->kh, s->kw, s->groups));
    float *plain = test_floats(t.weights);
    each_product(s, add_product, &want);
    const tips_map dx = blocked(t.bdx, s->n, s->ic, s->ih, s->iw);
    tips__conv_weights_for_backward(s->oc, s->ic, s->kh, s->kw, s->groups, t.bw, turned);
    void *scratch[2] = {scratch_for(TIPS_CONV_BACKWARD_DATA, s), scratch_for(TIPS_CONV_BACKWARD_WEIGHTS, s)};
    if (by->data) {
        by->backward_data(s, t.bdy, turned, t.bdx, scratch[0]);
        check_map("dx", &dx, want.dx, t.in);
    }
    by->backward_weights(s, t.bx, t.bdy, t.bw, scratch[1]);
    tips__conv_weights_unpack(s->oc, s->ic, s->kh, s->kw, s->groups, t.bw, plain);
    expect_close("dw", plain, want.dw, t.weights, 2e-6);
    free(plain);
    tips__free(turned);
    for (int i = 0; i < 2; i++) tips__free(scratch[i]);
    free(want.dx);
    free(want.dw);
    finish(&t);
}

static void test_sums(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i], &spare);
}

static void expect_few(tips_conv_kind kind, const tips_conv_shape *shape, bool few_run) {
    const tips_conv_shape s = in_blocks(*shape);
    tips_conv *conv;
    test_case("%dx%d kernel, %d and %d channels used", s.kh, s.kw, s.used_ic, s.used_oc);
    expect_ok(tips__conv_create(kind, &s, &conv));
    assert_int_equal(strcmp(tips__conv_algorithm(conv), "own:few") == 0, few_run);
    tips__conv_destroy(conv);
}

static void test_few_channels(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof few_inputs / sizeof *few_inputs; i++) {
        expect_few(TIPS_CONV_BACKWARD_WEIGHTS, &few_inputs[i], true);
        check(&few_inputs[i], &few_weights);
    }
    for (size_t i = 0; i < sizeof few_outputs / sizeof *few_outputs; i++) {
        expect_few(TIPS_CONV_BACKWARD_DATA, &few_outputs[i], true);
        expect_few(TIPS_CONV_BACKWARD_WEIGHTS, &few_outputs[i], true);
        check(&few_outputs[i], &few);
    }
}

/* Whole blocks, more than half a block, and inputs that some outputs step over. */
static void test_not_few(void **state) {
    tips_conv_shape full = few_outputs[0], stepping = few_inputs[1];
    (void)state;
    full.used_ic = 16, full.used_oc = tips__block() / 2 + 1;
    stepping.used_ic = 0, stepping.used_oc = 1;
    for (int kind = 0; kind < 2; kind++) {
        expect_few((tips_conv_kind)kind, &full, false);
        expect_few((tips_conv_kind)kind, &stepping, false);
    }
}

/* The sums are dealt out the same way to any number of threads. */
static void test_threads(void **state) {
    float *dw[2];
    trial t = make(&few_inputs[0]);
    const size_t floats = tips__conv_weight_floats(t.s.oc, t.s.ic, t.s.kh, t.s.kw, t.s.groups);
    const int threads = tips__threads();
    void *scratch = scratch_for(TIPS_CONV_BACKWARD_WEIGHTS, &t.s);
    (void)state;
    for (int i = 0; i < 2; i++) {
        tips__threads_set(1 + 2 * i);
        dw[i] = aligned_floats(floats);
        tips__few_backward_weights(&t.s, t.bx, t.bdy, dw[i], scratch);
    }
    tips__threads_set(threads);
    assert_memory_equal(dw[0], dw[1], floats * sizeof(float));
    for (int i = 0; i < 2; i++) tips__free(dw[i]);
    tips__free(scratch);
    finish(&t);
}

/* Such a shape is really run by these kernels, and by oneDNN's reference no more. */
static void test_chosen(void **state) {
    tips_conv *conv;
    (void)state;
    expect_ok(tips__conv_create(TIPS_CONV_BACKWARD_WEIGHTS, &cases[3], &conv));
    if (strncmp(tips__conv_algorithm(conv), "ref", 3) == 0) fail_msg("%s runs", tips__conv_algorithm(conv));
    tips__conv_destroy(conv);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_few_channels),
        cmocka_unit_test(test_not_few),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
