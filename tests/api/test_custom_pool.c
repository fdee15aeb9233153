/* Operators of the caller's own: the built-in ones written again give the same networks, answers and training. */
#include "support/compare.h"

#include "core/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tips/tips.h>

enum { N = 6, H = 16, W = 24, CLASSES = 5, PIXELS = 3 * H * W, STEPS = 4 };

static size_t at(const tips_pool_call *call, int c, int y, int x) {
    return ((size_t)c * (size_t)call->height + (size_t)y) * (size_t)call->width + (size_t)x;
}

#define CELLS(call, c, i, j)                                         \
    for (int c = 0; c < (call)->channels; c++)                       \
        for (int i = 0; i < (call)->height / (call)->stride[0]; i++) \
            for (int j = 0; j < (call)->width / (call)->stride[1]; j++)

static void mean(const tips_pool_call *call, int phase, const float *x, float *y) {
    const float *share = call->context;
    assert_int_equal(phase, 0);
    CELLS(call, c, i, j) {
        double sum = 0;
        for (int a = 0; a < call->stride[0]; a++)
            for (int b = 0; b < call->stride[1]; b++)
                sum += x[at(call, c, i * call->stride[0] + a, j * call->stride[1] + b)];
        *y++ = (float)sum * *share;
    }
}

static void mean_diff(const tips_pool_call *call, int phase, const float *x, const float *dy, float *dx) {
    const float *share = call->context;
    (void)phase, (void)x;
    CELLS(call, c, i, j) {
        for (int a = 0; a < call->stride[0]; a++)
            for (int b = 0; b < call->stride[1]; b++)
                dx[at(call, c, i * call->stride[0] + a, j * call->stride[1] + b)] += *dy * *share;
        dy++;
    }
}

static int strongest(const tips_pool_call *call, const float *x) {
    double best = -1;
    int chosen = 0;
    for (int k = 0; k < call->stride[0] * call->stride[1]; k++) {
        double sum = 0;
        CELLS(call, c, i, j) {
            const double v =
                x[at(call, c, i * call->stride[0] + k / call->stride[1], j * call->stride[1] + k % call->stride[1])];
            sum += v * v;
        }
        if (sum > best) best = sum, chosen = k;
    }
    return chosen;
}

static void sample(const tips_pool_call *call, int phase, const float *x, float *y) {
    CELLS(call, c, i, j)
    *y++ = x[at(call, c, i * call->stride[0] + phase / call->stride[1], j * call->stride[1] + phase % call->stride[1])];
}

static void sample_diff(const tips_pool_call *call, int phase, const float *x, const float *dy, float *dx) {
    (void)x;
    CELLS(call, c, i, j)
    dx[at(call, c, i * call->stride[0] + phase / call->stride[1], j * call->stride[1] + phase % call->stride[1])] =
        *dy++;
}

static int nonsense(const tips_pool_call *call, const float *x) {
    (void)call, (void)x;
    return 4000;
}

static float quarter = 0.25f;
static const tips_custom_pool my_avg = {"my mean", NULL, mean, mean_diff, &quarter};
static const tips_custom_pool my_stride = {"my stride", NULL, sample, sample_diff, NULL};
static const tips_custom_pool my_aps = {"my aps", strongest, sample, sample_diff, NULL};
static const tips_custom_pool untrained = {"untrained", strongest, sample, NULL, NULL};
static const tips_custom_pool wrong_phase = {"wrong phase", nonsense, sample, sample_diff, NULL};

static tips_network *make(const char *pool, const tips_custom_pool *custom, int lpf) {
    const tips_network_options options = {
        .arch = "tiny", .pool = pool, .custom_pool = custom, .height = H, .width = W, .classes = CLASSES, .lpf = lpf};
    tips_network *network = NULL;
    test_case("%s, lpf %d", custom ? custom->name : pool, lpf);
    expect_ok(tips_network_create(&options, &network));
    return network;
}

static void draw(float *images) {
    for (int i = 0; i < N * PIXELS; i++) images[i] = (float)tips__rng_normal((tips_rng){3, 1}, (uint64_t)i);
}

static void run_both(tips_network *ours, tips_network *theirs, const float *images, double tolerance) {
    float a[N * CLASSES], b[N * CLASSES];
    expect_ok(tips_network_run(ours, images, N, a));
    expect_ok(tips_network_run(theirs, images, N, b));
    expect_close_to_floats("logits", a, b, N * CLASSES, tolerance);
}

static void check_same(const tips_custom_pool *custom, const char *pool, int lpf) {
    const int32_t labels[N] = {0, 1, 2, 3, 4, 0};
    float *images = test_floats((size_t)N * PIXELS);
    tips_network *ours = make(pool, custom, lpf), *theirs = make(pool, NULL, lpf);
    assert_string_equal(tips_network_pool(ours), custom->name);
    draw(images);
    run_both(ours, theirs, images, 1e-6);
    for (int step = 0; step < STEPS; step++) {
        tips_losses a, b;
        expect_ok(tips_network_train_step(ours, images, labels, N, NULL, &a));
        expect_ok(tips_network_train_step(theirs, images, labels, N, NULL, &b));
        if (!(fabs(a.total - b.total) <= 1e-4 * b.total)) fail_case("step %d: loss %g, not %g", step, a.total, b.total);
    }
    run_both(ours, theirs, images, 1e-3);
    free(images);
    tips_network_destroy(ours);
    tips_network_destroy(theirs);
}

static void test_same_as_built_in(void **state) {
    (void)state;
    check_same(&my_avg, "avg", 0);
    check_same(&my_stride, "stride", 0);
    check_same(&my_aps, "aps", 0);
    check_same(&my_aps, "aps", 3);
}

static void test_verified(void **state) {
    tips_verdict verdict;
    (void)state;
    tips_network *exact = make(NULL, &my_aps, 0), *fixed = make(NULL, &my_stride, 0);
    expect_ok(tips_network_verify(exact, NULL, 40, &verdict));
    assert_true(verdict.exact);
    expect_ok(tips_network_verify(fixed, NULL, 40, &verdict));
    assert_false(verdict.exact);
    assert_string_equal(verdict.reason, "fixed grid");
    assert_non_null(strstr(verdict.advice, "my stride"));
    tips_network_destroy(exact);
    tips_network_destroy(fixed);
}

static void test_phase_is_told(void **state) {
    float *images = test_floats((size_t)N * PIXELS), logits[N * CLASSES];
    int32_t ours[N], theirs[N];
    (void)state;
    tips_network *a = make(NULL, &my_aps, 0), *b = make("aps", NULL, 0);
    draw(images);
    expect_ok(tips_network_run(a, images, N, logits));
    expect_ok(tips_network_run(b, images, N, logits));
    expect_ok(tips_network_phase(a, "layer2.0.pool", ours));
    expect_ok(tips_network_phase(b, "layer2.0.pool", theirs));
    assert_memory_equal(ours, theirs, sizeof ours);
    free(images);
    tips_network_destroy(a);
    tips_network_destroy(b);
}

static void test_refusals(void **state) {
    const int32_t labels[N] = {0};
    const tips_custom_pool nameless = {.forward = sample}, empty = {.name = "empty"};
    float *images = test_floats((size_t)N * PIXELS), logits[N * CLASSES];
    tips_network *network = make(NULL, &untrained, 0);
    (void)state;
    draw(images);
    assert_int_equal(tips_network_train_step(network, images, labels, N, NULL, NULL), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "'untrained' has no backward"));
    expect_ok(tips_network_run(network, images, N, logits));
    assert_int_equal(tips_network_save(network, "/no/such/file"), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "'untrained'"));
    tips_network_destroy(network);
    network = make(NULL, &wrong_phase, 0);
    assert_int_equal(tips_network_run(network, images, N, logits), TIPS_RANGE);
    assert_non_null(
        strstr(tips_last_error(), "the operator 'wrong phase' chose phase 4000 for image 0; it takes 0..3"));
    tips_network_destroy(network);
    for (int i = 0; i < 2; i++) {
        const tips_network_options options = {.arch = "tiny", .custom_pool = i ? &empty : &nameless};
        assert_int_equal(tips_network_create(&options, &network), TIPS_INVALID);
    }
    free(images);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_built_in),
        cmocka_unit_test(test_verified),
        cmocka_unit_test(test_phase_is_told),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
