/* The functions of one element over their whole range: against double precision, at the ends, and for what is no
 * number. The contract of layers tests them near zero only. */
#include "layer/layers.h"
#include "layer/pointwise.h"
#include "support/compare.h"
#include "tensor/vec.h"

#include <math.h>
#include <string.h>

typedef tips_pointwise_numbers numbers;

static float value_of(const tips_pointwise *f, float x, int lane, numbers k) {
    vf in = {0}, out;
    vi mask = {0};
    in[lane] = x;
    mask[lane] = -1;
    f->forward_row((const float *)&in, (float *)&out, TIPS_BLOCK, mask, k);
    for (int l = 0; l < TIPS_BLOCK; l++)
        if (l != lane && out[l] != 0) fail_case("lane %d is masked, but %g", l, out[l]);
    return out[lane];
}

static float slope_of(const tips_pointwise *f, float x, numbers k) {
    vf in = vf_set(x), one = vf_set(1), out;
    vi all = {0};
    all = ~all;
    if (f->by_output) f->forward_row((const float *)&in, (float *)&in, TIPS_BLOCK, all, k);
    f->backward_row((const float *)&in, (const float *)&one, (float *)&out, TIPS_BLOCK, all, k, false);
    return out[0];
}

static numbers some_numbers(const tips_pointwise *f) {
    return f->layer == &tips__layer_clip ? (numbers){-2.5, 3.5} : (numbers){0.2, 0.5};
}

/* Single precision of values up to about 1: the last bits of the input move exp by that much. */
static void expect_near(const char *what, float x, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
        fail_case("%s at %.9g is %.9g, not %.9g", what, x, got, want);
}

static void check_at(const tips_pointwise *f, float x) {
    const numbers k = some_numbers(f);
    const double step = 1e-5 * fmax(1, fabs(x)), want = f->ref(x, k);
    const float y = value_of(f, x, 0, k), other = value_of(f, x, TIPS_BLOCK - 1, k);
    if (memcmp(&y, &other, sizeof y) != 0) fail_case("lanes differ at %.9g", x);
    expect_near("value", x, y, want, 4e-7);
    const double right = (f->ref(x + step, k) - want) / step, left = (want - f->ref(x - step, k)) / step;
    if (fabs(right - left) < 1e-3) expect_near("slope", x, slope_of(f, x, k), (right + left) / 2, 2e-6);
}

static void test_sweep(void **state) {
    (void)state;
    for (const tips_pointwise *f = tips__pointwise; f->layer; f++) {
        test_case("%s", f->layer->name);
        for (int i = -3000; i <= 3000; i++) check_at(f, (float)i * 0.0071f);
        for (float x = 25; x < 1e18f; x *= 3) check_at(f, x), check_at(f, -x);
    }
}

/* Functions that are x near zero keep all of its digits there. */
static void test_small(void **state) {
    (void)state;
    for (const tips_pointwise *f = tips__pointwise; f->layer; f++) {
        if (f->layer != &tips__layer_tanh && f->layer != &tips__layer_gelu && f->layer != &tips__layer_hard_swish &&
            f->layer != &tips__layer_silu)
            continue;
        test_case("%s near zero", f->layer->name);
        for (float x = 0.7f; x > 1e-20f; x *= 0.83f) {
            const double want = f->ref(x, (numbers){0});
            const float y = value_of(f, x, 0, (numbers){0});
            if (!(fabs(y - want) <= 4e-7 * fabs(want))) fail_case("at %.9g it is %.9g, not %.9g", x, y, want);
        }
    }
}

static void test_tail_of_gelu(void **state) {
    (void)state;
    test_case("gelu, the left tail");
    const tips_pointwise *f = tips__pointwise;
    while (f->layer != &tips__layer_gelu) f++;
    for (float x = -1; x > -12; x -= 0.013f) {
        const double want = 0.5 * x * erfc(-x / sqrt(2));
        const float y = value_of(f, x, 0, (numbers){0});
        if (!(fabs(y - want) <= 2e-5 * fabs(want))) fail_case("at %.9g it is %.9g, not %.9g", x, y, want);
    }
}

static void test_no_number(void **state) {
    (void)state;
    for (const tips_pointwise *f = tips__pointwise; f->layer; f++) {
        test_case("%s of NaN", f->layer->name);
        if (!isnan(value_of(f, NAN, 1, some_numbers(f)))) fail_case("NaN turns into a number");
    }
}

static double at(const tips_layer *layer, float x) {
    const tips_pointwise *f = tips__pointwise;
    while (f->layer != layer) f++;
    return value_of(f, x, 0, some_numbers(f));
}

/* Of its value, not of 1, and of x sigmoid(x) too: a few units in the last place. */
static void test_tail_of_sigmoid(void **state) {
    (void)state;
    const tips_pointwise *f = tips__pointwise;
    while (f->layer != &tips__layer_sigmoid) f++;
    test_case("the tail of the sigmoid");
    for (int i = -8000; i <= 8000; i++) {
        const float x = (float)i * 0.01f;
        const double want = 1 / (1 + exp(-(double)x)), y = value_of(f, x, 0, (numbers){0});
        if (!(fabs(y - want) <= 2.4e-7 * want)) fail_case("at %.9g it is %.9g, not %.9g", x, y, want);
        _Alignas(sizeof(vf)) float row[TIPS_BLOCK];
        for (int l = 0; l < TIPS_BLOCK; l++) row[l] = x;
        f->gated_row(row, TIPS_BLOCK, (vi)(vf_set(0) == vf_set(0)), (numbers){0});
        if (!(fabs(row[0] - x * want) <= 3.6e-7 * fabs(x * want)) || row[0] != row[TIPS_BLOCK - 1])
            fail_case("at %.9g the gated value is %.9g, not %.9g", x, row[0], x * want);
    }
}

static void test_infinite(void **state) {
    (void)state;
    test_case("infinite arguments");
    const float inf = INFINITY;
    assert_true(at(&tips__layer_clip, inf) == 3.5 && at(&tips__layer_clip, -inf) == -2.5);
    assert_true(at(&tips__layer_leaky_relu, inf) == inf && at(&tips__layer_leaky_relu, -inf) == -inf);
    assert_true(at(&tips__layer_sigmoid, inf) == 1 && at(&tips__layer_sigmoid, -inf) < 1e-37);
    assert_true(at(&tips__layer_hard_sigmoid, inf) == 1 && at(&tips__layer_hard_sigmoid, -inf) == 0);
    assert_true(at(&tips__layer_tanh, inf) == 1 && at(&tips__layer_tanh, -inf) == -1);
    assert_true(at(&tips__layer_gelu, inf) == inf && at(&tips__layer_hard_swish, inf) == inf);
    assert_true(at(&tips__layer_silu, inf) == inf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep),     cmocka_unit_test(test_small),    cmocka_unit_test(test_tail_of_gelu),
        cmocka_unit_test(test_no_number), cmocka_unit_test(test_infinite), cmocka_unit_test(test_tail_of_sigmoid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
