/* Direct and depthwise convolutions against plain loops in double: kernels, strides, dilations, groups and borders of
 * every kind, every width of a row, every finish; and that the bits of a pixel do not depend on where it lies, nor on
 * how many floats a pixel of its source takes. */
#include "support/compare.h"

#include "core/memory.h"
#include "core/rng.h"
#include "core/threads.h"
#include "engine/direct_conv.h"
#include "engine/engine.h"
#include "tensor/pad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    int n, ic, oc, h, w;
    int kernel[2], stride[2], dilation[2], groups;
    tips_padding padding;
} shape;

typedef struct trial {
    shape s;
    int oh, ow;
    tips_map x, y, residual;            /* x with its halo, y in the middle of a larger buffer */
    float *bx, *by, *br, *weights, *bias;
    double *want;                       /* (n, oc, oh, ow): bias, sum and residual */
    size_t out;
} trial;

static const tips_padding gap = {.mode = TIPS_PAD_ZERO, .top = 1, .left = 2, .bottom = 0, .right = 1};

static float *drawn(size_t count, uint64_t stream) {
    float *out = test_floats(count);
    for (size_t i = 0; i < count; i++) out[i] = (float)tips__rng_normal((tips_rng){3, stream}, i);
    return out;
}

static float *put(const float *plain, int n, int c, int h, int w, const tips_padding *halo, tips_map *map) {
    float *buffer;
    expect_ok(tips__new_zero(&buffer, tips__map_bytes(n, c, h, w, halo), "a map"));
    *map = tips__map_haloed(buffer, n, c, h, w, halo);
    tips__map_from_nchw(map, plain);
    tips__halo_fill(map, halo);
    return buffer;
}

static double *widened(const float *from, size_t count) {
    double *to = malloc(count * sizeof *to);
    for (size_t i = 0; i < count; i++) to[i] = from[i];
    return to;
}

static void compute(trial *t, const float *x, const float *w, const float *bias, const float *residual) {
    const shape *s = &t->s;
    const tips_ref_conv conv = {
        .shape = {.n = s->n, .ic = s->ic, .ih = s->h, .iw = s->w, .oc = s->oc, .oh = t->oh, .ow = t->ow,
                  .kh = s->kernel[0], .kw = s->kernel[1], .sh = s->stride[0], .sw = s->stride[1],
                  .dh = s->dilation[0], .dw = s->dilation[1], .groups = s->groups, .top = s->padding.top,
                  .left = s->padding.left},
        .pad_mode = s->padding.mode};
    double *dx = widened(x, (size_t)(s->n * s->ic * s->h * s->w));
    double *dw = widened(w, (size_t)(s->oc * s->ic / s->groups * s->kernel[0] * s->kernel[1]));
    double *db = widened(bias, (size_t)s->oc);
    t->want = malloc(t->out * sizeof *t->want);
    tips__ref_conv_forward(&conv, dx, dw, db, t->want);
    for (size_t i = 0; i < t->out; i++) t->want[i] += residual[i];
    free(dx);
    free(dw);
    free(db);
}

static int extent(const shape *s, int axis) {
    const int size = axis ? s->w + s->padding.left + s->padding.right : s->h + s->padding.top + s->padding.bottom;
    return (size - (s->kernel[axis] - 1) * s->dilation[axis] - 1) / s->stride[axis] + 1;
}

static trial make(const shape *s) {
    trial t = {.s = *s, .oh = extent(s, 0), .ow = extent(s, 1)};
    const int k = s->kernel[0] * s->kernel[1];
    t.out = (size_t)(s->n * s->oc * t.oh * t.ow);
    float *x = drawn((size_t)(s->n * s->ic * s->h * s->w), 1), *w = drawn((size_t)(s->oc * s->ic / s->groups * k), 2);
    float *bias = drawn((size_t)s->oc, 3), *residual = drawn(t.out, 4);
    float *nothing = calloc(t.out, sizeof *nothing);
    t.bx = put(x, s->n, s->ic, s->h, s->w, &s->padding, &t.x);
    t.by = put(nothing, s->n, s->oc, t.oh, t.ow, &gap, &t.y);
    t.br = put(residual, s->n, s->oc, t.oh, t.ow, &(tips_padding){0}, &t.residual);
    expect_ok(tips__new(&t.weights, tips__conv_weight_floats(s->oc, s->ic, s->kernel[0], s->kernel[1], s->groups) *
                                        sizeof(float), "weights"));
    tips__conv_weights_pack(s->oc, s->ic, s->kernel[0], s->kernel[1], s->groups, w, t.weights);
    expect_ok(tips__new_zero(&t.bias, (size_t)tips__padded(s->oc) * sizeof(float), "a bias"));
    memcpy(t.bias, bias, (size_t)s->oc * sizeof *bias);
    compute(&t, x, w, bias, residual);
    float *const plain[] = {x, w, bias, residual, nothing};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) free(plain[i]);
    test_case("%d to %d channels on %dx%d, %dx%d kernel, stride %dx%d, dilation %dx%d, %d groups", s->ic, s->oc, s->h,
              s->w, s->kernel[0], s->kernel[1], s->stride[0], s->stride[1], s->dilation[0], s->dilation[1], s->groups);
    return t;
}

static void finish_trial(trial *t) {
    float *const made[] = {t->bx, t->by, t->br, t->weights, t->bias};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) tips__free(made[i]);
    free(t->want);
}

static void run(const trial *t, const tips_map *x, const tips_finish *finish, const tips_map *y) {
    const shape *s = &t->s;
    const tips_group_plan plan = tips__group_plan(s->ic, s->oc, s->groups);
    const tips_direct conv = {.kh = s->kernel[0], .kw = s->kernel[1], .sh = s->stride[0], .sw = s->stride[1],
                              .dh = s->dilation[0], .dw = s->dilation[1], .top = s->padding.top,
                              .left = s->padding.left, .groups = plan == TIPS_GROUPS_BLOCKED ? s->groups : 1};
    (plan == TIPS_GROUPS_DEPTHWISE ? tips__depthwise_forward : tips__direct_forward)(&conv, x, t->weights, finish, y);
}

static void compare(const trial *t, const char *what, const tips_map *y) {
    float *plain = test_floats(t->out);
    tips__map_to_nchw(y, plain);
    expect_close(what, plain, t->want, t->out, 4e-6);
    free(plain);
}

static void negate_row(float *row, int floats, int block, const void *with) {
    for (int i = 0; i < floats; i++) row[i] *= ((const float *)with)[block];
}

/* What lies around the output must stay as it was. */
static void expect_gap_untouched(const trial *t) {
    double sum = 0, inside = 0;
    const size_t floats = tips__map_bytes(t->s.n, t->s.oc, t->oh, t->ow, &gap) / sizeof(float);
    for (size_t i = 0; i < floats; i++) sum += (double)t->by[i] * t->by[i];
    for (int n = 0; n < t->y.n; n++)
        for (int b = 0; b < t->y.blocks; b++)
            for (int y = 0; y < t->y.h; y++)
                for (int i = 0; i < t->y.w * (int)(t->y.sh / (t->ow + 3)); i++) {
                    const double v = tips__row(&t->y, n, b, y)[i];
                    inside += v * v;
                }
    if (sum - inside > 1e-6 * sum) fail_msg("something was written beside the output");
}

static void check(const shape *s) {
    trial t = make(s);
    run(&t, &t.x, &(tips_finish){.bias = t.bias, .residual = &t.residual}, &t.y);
    compare(&t, "bias and residual", &t.y);
    expect_gap_untouched(&t);
    run(&t, &t.x, &(tips_finish){.bias = t.bias, .residual = &t.residual}, &t.residual);
    compare(&t, "in place of the residual", &t.residual);
    float minus[64];
    for (int i = 0; i < 64; i++) minus[i] = -1;
    run(&t, &t.x, &(tips_finish){.bias = t.bias}, &t.residual); /* the residual's buffer has no gaps */
    run(&t, &t.x, &(tips_finish){.bias = t.bias, .function = negate_row, .with = minus}, &t.y);
    float *plain = test_floats(t.out), *turned = test_floats(t.out);
    tips__map_to_nchw(&t.residual, plain);
    tips__map_to_nchw(&t.y, turned);
    for (size_t i = 0; i < t.out; i++)
        if (plain[i] != -turned[i]) fail_msg("function: %g and %g", plain[i], turned[i]);
    run(&t, &t.x, &(tips_finish){.bias = t.bias, .clips = true, .low = -0.25f, .high = 1}, &t.y);
    tips__map_to_nchw(&t.y, turned);
    for (size_t i = 0; i < t.out; i++)
        if (turned[i] != fminf(1, fmaxf(-0.25f, plain[i]))) fail_msg("clipped: %g of %g", turned[i], plain[i]);
    free(plain);
    free(turned);
    finish_trial(&t);
}

#define PAD(m, t, l, b, r) {.mode = TIPS_PAD_##m, .top = t, .left = l, .bottom = b, .right = r}

static void test_kernels(void **state) {
    (void)state;
    const shape cases[] = {
        {2, 3, 64, 17, 19, {7, 7}, {2, 2}, {1, 1}, 1, PAD(ZERO, 3, 3, 3, 3)},
        {1, 3, 20, 12, 18, {3, 3}, {1, 1}, {1, 1}, 1, PAD(CIRCULAR, 1, 1, 1, 1)},
        {2, 40, 72, 9, 11, {3, 3}, {2, 1}, {1, 1}, 1, PAD(REFLECT, 1, 1, 1, 1)},
        {1, 48, 48, 10, 8, {3, 3}, {1, 1}, {2, 3}, 1, PAD(REPLICATE, 2, 3, 2, 3)},
        {3, 17, 33, 5, 6, {1, 1}, {1, 1}, {1, 1}, 1, PAD(ZERO, 0, 0, 0, 0)},
        {2, 64, 112, 7, 7, {1, 1}, {2, 2}, {1, 1}, 1, PAD(ZERO, 0, 0, 0, 0)},
        {1, 640, 40, 3, 4, {3, 3}, {1, 1}, {1, 1}, 1, PAD(ZERO, 1, 1, 1, 1)},
        {2, 64, 96, 6, 5, {3, 3}, {1, 1}, {1, 1}, 2, PAD(ZERO, 1, 1, 1, 1)},
        {2, 12, 12, 6, 5, {3, 3}, {1, 1}, {1, 1}, 3, PAD(ZERO, 1, 1, 1, 1)},
        {1, 5, 9, 9, 9, {2, 4}, {1, 1}, {1, 1}, 1, PAD(ZERO, 0, 1, 1, 2)},
        {2, 24, 24, 15, 13, {5, 5}, {2, 2}, {1, 1}, 24, PAD(ZERO, 2, 2, 2, 2)},
        {1, 37, 37, 9, 30, {3, 3}, {1, 1}, {1, 2}, 37, PAD(CIRCULAR, 1, 2, 1, 2)},
        {1, 1, 1, 4, 4, {3, 3}, {1, 1}, {1, 1}, 1, PAD(ZERO, 1, 1, 1, 1)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

static void test_widths(void **state) {
    (void)state;
    for (int w = 1; w <= 31; w++)
        for (int oc = 16; oc <= 80; oc += 32) {
            check(&(shape){1, 9, oc, 2, w, {1, 3}, {1, 1}, {1, 1}, 1, PAD(ZERO, 0, 1, 0, 1)});
            check(&(shape){2, 16, oc, 3, w, {1, 1}, {1, 1}, {1, 1}, 1, PAD(ZERO, 0, 0, 0, 0)});
            for (int kernel = 2; kernel <= 5; kernel++) /* depthwise, for which 3 and 5 have loops of their own */
                for (int stride = 1; stride <= 3; stride++)
                    check(&(shape){1, oc, oc, 4, w, {3, kernel}, {1, stride}, {1, 1}, oc, PAD(ZERO, 1, 2, 1, 2)});
        }
}

/* The same windows at other places, in narrower maps and with other threads: the same bits. */
static void test_places(void **state) {
    (void)state;
    trial t = make(&(shape){2, 40, 56, 9, 29, {3, 3}, {1, 1}, {1, 1}, 1, PAD(CIRCULAR, 1, 1, 1, 1)});
    const tips_finish finish = {.bias = t.bias};
    run(&t, &t.x, &finish, &t.y);
    for (int threads = 1; threads <= 3; threads++) {
        tips__threads_set(threads);
        for (int cut = 1; cut < 28; cut++) {
            tips_map x = t.x, y = t.residual;
            const ptrdiff_t pixel = x.sh / (29 + 2);
            x.n = y.n = 1;
            x.data += cut * pixel + x.sn;
            x.w = y.w = 29 - cut;
            run(&t, &x, &finish, &y);
            for (int b = 0; b < y.blocks; b++)
                for (int row = 0; row < y.h; row++)
                    assert_memory_equal(tips__row(&y, 0, b, row), tips__row(&t.y, 1, b, row) + cut * pixel,
                                        (size_t)((29 - cut) * pixel) * sizeof(float));
        }
    }
    tips__threads_set(0);
    finish_trial(&t);
}

/* Four floats a pixel instead of a block: the same bits. */
static void check_thin(const shape *s) {
    trial t = make(s);
    const size_t count = (size_t)(s->n * s->ic * s->h * s->w);
    float *plain = test_floats(count), *back = test_floats(count), *buffer, *copied;
    tips__map_to_nchw(&t.x, plain);
    tips_map thin = tips__map_thin(NULL, s->n, s->ic, s->h, s->w, &s->padding);
    const size_t bytes = tips__map_buffer_bytes(&thin);
    expect_ok(tips__new_zero(&buffer, bytes, "a thin map"));
    expect_ok(tips__new_zero(&copied, bytes, "its copy"));
    thin = tips__map_thin(buffer, s->n, s->ic, s->h, s->w, &s->padding);
    tips__map_from_nchw(&thin, plain);
    tips__halo_fill(&thin, &s->padding);
    tips__map_to_nchw(&thin, back);
    assert_memory_equal(plain, back, count * sizeof(float));
    const tips_map copy = tips__map_like(copied, &thin, &s->padding);
    tips__map_copy(&copy, &thin);
    tips__halo_fill(&copy, &s->padding);
    assert_memory_equal(buffer, copied, bytes);
    const tips_finish finish = {.bias = t.bias, .clips = true, .low = -0.5f, .high = 6};
    run(&t, &t.x, &finish, &t.y);
    run(&t, &thin, &finish, &t.residual);
    for (int n = 0; n < t.y.n; n++)
        for (int b = 0; b < t.y.blocks; b++)
            for (int y = 0; y < t.y.h; y++)
                assert_memory_equal(tips__row(&t.y, n, b, y), tips__row(&t.residual, n, b, y),
                                    (size_t)(t.y.w * t.y.lanes) * sizeof(float));
    tips__free(buffer);
    tips__free(copied);
    free(plain);
    free(back);
    finish_trial(&t);
}

static void test_thin(void **state) {
    (void)state;
    for (int ic = 1; ic <= TIPS_THIN; ic++)
        for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_REPLICATE; mode++)
            for (int stride = 1; stride <= 3; stride++) {
                const tips_padding around = {mode, 3, 2, 1, 3}, one = {mode, 1, 1, 1, 1}, none = {.mode = mode};
                check_thin(&(shape){2, ic, 24, 13, 17, {7, 6}, {stride, stride}, {1, 1}, 1, around});
                check_thin(&(shape){1, ic, 64, 9, 33, {3, 3}, {stride, 1}, {1, 2}, 1, one});
                check_thin(&(shape){3, ic, 40, 8, 8, {1, 1}, {stride, stride}, {1, 1}, 1, none});
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_thin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
