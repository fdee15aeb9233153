/* Mixing: every pixel against its definition, shares that follow the law they are drawn from, and no dependence on
 * anything but the generator. */
#include "support/compare.h"

#include "core/rng_beta.h"
#include "data/mixing.h"

#include <math.h>
#include <string.h>

enum { N = 5, C = 3, H = 6, W = 8, ONE = C * H * W };

static void draw(float images[N][ONE]) {
    const tips_rng rng = {3, 4};
    for (int i = 0; i < N; i++)
        for (int k = 0; k < ONE; k++) images[i][k] = (float)tips__rng_normal(rng, (uint64_t)(i * ONE + k));
}

static void mix(const tips_mixing *m, uint64_t step, float images[N][ONE], float out[N][ONE], float shares[N]) {
    tips__mix(m, (tips_rng){1, step}, (const int[]){N, C, H, W}, images[0], out[0], shares);
}

static void test_mixup(void **state) {
    const tips_mixing m = {.mixup = 1};
    float a[N][ONE], out[N][ONE], again[N][ONE], shares[N];
    (void)state;
    draw(a);
    mix(&m, 9, a, out, shares);
    for (int i = 0; i < N; i++) {
        assert_true(shares[i] > 0 && shares[i] < 1);
        for (int j = 0; j < i; j++) assert_true(shares[i] != shares[j]);
        for (int k = 0; k < ONE; k++) {
            const double wanted = (double)shares[i] * a[i][k] + (1 - (double)shares[i]) * a[(i + 1) % N][k];
            assert_true(fabs(out[i][k] - wanted) < 1e-6);
        }
    }
    mix(&m, 9, a, again, shares);
    assert_memory_equal(out, again, sizeof out);
    mix(&m, 10, a, again, shares);
    assert_memory_not_equal(out, again, sizeof out);
}

/* A rectangle, the same in all channels, of the partner's pixels, and the share is what it leaves. */
static void check_cut(const float *a, const float *b, const float *out, float share) {
    int top = H, bottom = -1, left = W, right = -1, taken = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const bool is_b = out[y * W + x] == b[y * W + x];
            for (int c = 0; c < C; c++) {
                const int at = (c * H + y) * W + x;
                assert_true(out[at] == (is_b ? b[at] : a[at]));
            }
            if (!is_b) continue;
            taken++;
            top = y < top ? y : top;
            bottom = y > bottom ? y : bottom;
            left = x < left ? x : left;
            right = x > right ? x : right;
        }
    assert_int_equal(taken, taken ? (bottom - top + 1) * (right - left + 1) : 0);
    assert_true(fabs(share - (1 - (double)taken / (H * W))) < 1e-6);
}

static void test_cutmix(void **state) {
    const tips_mixing m = {.cutmix = 1};
    float a[N][ONE], out[N][ONE], shares[N];
    double sum = 0;
    enum { STEPS = 400 };
    (void)state;
    draw(a);
    for (uint64_t step = 0; step < STEPS; step++) {
        mix(&m, step, a, out, shares);
        for (int i = 0; i < N; i++) {
            check_cut(a[i], a[(i + 1) % N], out[i], shares[i]);
            sum += shares[i];
        }
    }
    /* Half of the picture would be taken if no rectangle were cut off at the border. */
    assert_true(sum / (STEPS * N) > 0.55 && sum / (STEPS * N) < 0.8);
}

/* Mixed pixels that are neither of the two pictures' tell which of them a batch drew. */
static void test_both(void **state) {
    const tips_mixing m = {.mixup = 1, .cutmix = 1};
    float a[N][ONE], out[N][ONE], shares[N];
    int blended = 0;
    enum { STEPS = 200 };
    (void)state;
    draw(a);
    for (uint64_t step = 0; step < STEPS; step++) {
        bool is_blend = false;
        mix(&m, step, a, out, shares);
        for (int k = 0; k < ONE; k++) is_blend = is_blend || (out[0][k] != a[0][k] && out[0][k] != a[1][k]);
        blended += is_blend;
    }
    assert_in_range(blended, 70, 130);
}

/* Mean 1/2 and variance 1 / (4 (2 a + 1)); a fifth and a fourth moment would show another law. */
static void test_beta(void **state) {
    static const double parameters[] = {0.05, 0.2, 1, 1.5, 8};
    enum { DRAWS = 40000 };
    (void)state;
    for (int p = 0; p < 5; p++) {
        const double a = parameters[p];
        double sum = 0, square = 0, fourth = 0;
        for (int i = 0; i < DRAWS; i++) {
            const double x = tips__rng_beta((tips_rng){11, tips__rng_mix((uint64_t)p, (uint64_t)i)}, a);
            assert_true(x >= 0 && x <= 1);
            sum += x - 0.5;
            square += pow(x - 0.5, 2);
            fourth += pow(x - 0.5, 4);
        }
        const double variance = 1 / (4 * (2 * a + 1)), fourth_moment = 3 / (16 * (2 * a + 1) * (2 * a + 3));
        const double error = 4 / sqrt(DRAWS);
        if (fabs(sum / DRAWS) > error * sqrt(variance)) fail_msg("Beta(%g): mean off by %g", a, sum / DRAWS);
        if (fabs(square / DRAWS - variance) > error * sqrt(fourth_moment))
            fail_msg("Beta(%g): variance %g, not %g", a, square / DRAWS, variance);
        if (fabs(fourth / DRAWS - fourth_moment) > error / 16)
            fail_msg("Beta(%g): fourth moment %g, not %g", a, fourth / DRAWS, fourth_moment);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mixup), cmocka_unit_test(test_cutmix),
                                       cmocka_unit_test(test_both), cmocka_unit_test(test_beta)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
