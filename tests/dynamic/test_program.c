/* Programs that go wrong: each says why, within bounds, and leaves nothing behind. What operators compute is compared
 * with ONNX Runtime in tests/onnx/test_onnx_dynamic.py. */
#include "support/compare.h"

#include "core/fail.h"
#include "core/memory.h"
#include "dynamic/program.h"

#include <string.h>

enum { NONE = TIPS_PROGRAM_NONE };

static tips_program *begin(int values) {
    tips_program *p;
    int value;
    expect_ok(tips__program_create(13, &p));
    for (int i = 0; i < values; i++) expect_ok(tips__program_new_value(p, &value));
    return p;
}

static void constant(tips_program *p, int value, tips_array_type type, int n_dims, const int64_t *dims,
                     const double *numbers) {
    tips_array a;
    expect_ok(tips__array_create(type, n_dims, dims, &a));
    for (size_t i = 0; i < a.count; i++) {
        if (a.floats) a.floats[i] = (float)numbers[i];
        else a.ints[i] = (int64_t)numbers[i];
    }
    expect_ok(tips__program_constant(p, value, &a));
}

static void whole(tips_program *p, int value, double number) { constant(p, value, TIPS_ARRAY_INT64, 0, NULL, &number); }

static void node(tips_program *p, int block, const char *op, int a, int b, int out) {
    expect_ok(tips__program_node(p, block, op, "here", (const int[]){a, b}, b == NONE ? 1 : 2, &out, 1));
}

static void expect_failure(tips_program *p, int out, tips_status wanted, const char *words) {
    tips_array array;
    expect_ok(tips__program_output(p, "y", out));
    const tips_status status = tips__program_run(p, NULL, &array);
    test_case("%s", tips_last_error());
    assert_int_equal(status, wanted);
    assert_non_null(strstr(tips_last_error(), words));
    tips__program_release(p);
}

static void test_wrong_numbers(void **state) {
    (void)state;
    tips_program *p = begin(3);
    whole(p, 0, 7), whole(p, 1, 0);
    node(p, 0, "Div", 0, 1, 2);
    expect_failure(p, 2, TIPS_RANGE, "Div node 'here': it divides 7 by zero");

    p = begin(3);
    constant(p, 0, TIPS_ARRAY_FLOAT, 1, (const int64_t[]){2}, (const double[]){1, 2}), whole(p, 1, 2);
    node(p, 0, "Gather", 0, 1, 2);
    expect_failure(p, 2, TIPS_RANGE, "element 2 of 2");

    p = begin(3);
    constant(p, 0, TIPS_ARRAY_FLOAT, 1, (const int64_t[]){2}, (const double[]){1, 2}), whole(p, 1, 3);
    node(p, 0, "TopK", 0, 1, 2);
    expect_failure(p, 2, TIPS_RANGE, "the first 3 of 2");

    p = begin(3);
    constant(p, 0, TIPS_ARRAY_FLOAT, 1, (const int64_t[]){2}, (const double[]){1, 2});
    constant(p, 1, TIPS_ARRAY_FLOAT, 1, (const int64_t[]){3}, (const double[]){1, 2, 3});
    node(p, 0, "Add", 0, 1, 2);
    expect_failure(p, 2, TIPS_SHAPE, "do not fit together");

    p = begin(3);
    constant(p, 0, TIPS_ARRAY_FLOAT, 1, (const int64_t[]){1}, (const double[]){1}), whole(p, 1, 1);
    node(p, 0, "Add", 0, 1, 2);
    expect_failure(p, 2, TIPS_FORMAT, "float and int64");

    p = begin(2);
    node(p, 0, "Exp", 0, NONE, 1);
    expect_failure(p, 1, TIPS_FORMAT, "nothing has set its input 0");
}

static void test_too_large(void **state) {
    (void)state;
    tips_program *p = begin(2);
    constant(p, 0, TIPS_ARRAY_INT64, 1, (const int64_t[]){3}, (const double[]){1e6, 1e6, 1e6});
    node(p, 0, "ConstantOfShape", 0, NONE, 1);
    expect_failure(p, 1, TIPS_RANGE, "more than");

    p = begin(2);
    constant(p, 0, TIPS_ARRAY_INT64, 1, (const int64_t[]){2}, (const double[]){-1, 2});
    node(p, 0, "ConstantOfShape", 0, NONE, 1);
    expect_failure(p, 1, TIPS_SHAPE, "-1 elements");

    p = begin(4);
    whole(p, 0, 0), whole(p, 1, 1e15), whole(p, 2, 1);
    expect_ok(tips__program_node(p, 0, "Range", "", (const int[]){0, 1, 2}, 3, (const int[]){3}, 1));
    expect_failure(p, 3, TIPS_RANGE, "it goes from");
}

/* A loop whose body is nothing, and one that calls itself no end to. */
static void test_endless(void **state) {
    tips_program *p = begin(4);
    const int inputs[] = {0, 1}, outputs[] = {1};
    int body, out = 3;
    (void)state;
    expect_ok(tips__program_new_block(p, &body));
    expect_ok(tips__program_block_ends(p, body, inputs, 2, outputs, 1));
    expect_ok(tips__program_node(p, 0, "Loop", "round", (const int[]){NONE, NONE}, 2, &out, 1));
    expect_ok(tips__program_graph(p, 0, "body", body));
    tips_array array;
    expect_ok(tips__program_output(p, "y", 3));
    assert_int_not_equal(tips__program_run(p, NULL, &array), TIPS_OK); /* it has no value to carry to its output */
    tips__program_release(p);

    p = begin(5);
    whole(p, 2, 5);
    expect_ok(tips__program_new_block(p, &body));
    expect_ok(tips__program_block_ends(p, body, (const int[]){0, 1, 3}, 3, (const int[]){1, 3}, 2));
    expect_ok(tips__program_node(p, 0, "Loop", "round", (const int[]){NONE, NONE, 2}, 3, (const int[]){4}, 1));
    expect_ok(tips__program_graph(p, 0, "body", body));
    expect_failure(p, 4, TIPS_RANGE, "steps");

    p = begin(2);
    whole(p, 0, 1);
    expect_ok(tips__program_new_block(p, &body));
    expect_ok(tips__program_block_ends(p, body, NULL, 0, (const int[]){1}, 1));
    for (int block = 0; block <= body; block += body) {
        expect_ok(tips__program_node(p, block, "If", "within", (const int[]){0}, 1, (const int[]){1}, 1));
        expect_ok(tips__program_graph(p, block, "then_branch", body));
    }
    expect_failure(p, 1, TIPS_UNSUPPORTED, "nested more than");
}

static void test_unknown(void **state) {
    tips_program *p = begin(2);
    (void)state;
    assert_true(tips__program_knows("NonMaxSuppression") && !tips__program_knows("EfficientNMS_TRT"));
    assert_int_equal(tips__program_node(p, 0, "Gru", "", (const int[]){0}, 1, (const int[]){1}, 1), TIPS_UNSUPPORTED);
    assert_int_equal(tips__program_node(p, 0, "Exp", "", (const int[]){0, 0}, 2, (const int[]){1}, 1), TIPS_FORMAT);
    assert_int_equal(tips__program_node(p, 0, "Exp", "", (const int[]){7}, 1, (const int[]){1}, 1), TIPS_INVALID);
    tips__program_release(p);
}

/* Boxes, suppressed and picked: with a map of the network, and with any allocation missing. */
static tips_status make_and_run(tips_array *out) {
    const tips_program_input boxes = {.value = 0, .n_dims = 3, .dims = {1, 3, 4}, .strides = {1, 1, 3}};
    static const float map[12] = {0, 0, 9, /**/ 0, 1, 9, /**/ 5, 5, 12, /**/ 5, 6, 12};
    const float *maps[] = {map};
    tips_program *p;
    tips_array scores;
    int value;
    TIPS_TRY(tips__program_create(13, &p));
    tips_status status = TIPS_OK;
    for (int i = 0; i < 6 && status == TIPS_OK; i++) status = tips__program_new_value(p, &value);
    if (status == TIPS_OK) status = tips__program_input(p, &boxes);
    if (status == TIPS_OK) status = tips__array_create(TIPS_ARRAY_FLOAT, 3, (const int64_t[]){1, 1, 3}, &scores);
    if (status == TIPS_OK) {
        scores.floats[0] = 0.5f, scores.floats[1] = 0.6f, scores.floats[2] = 0.1f;
        status = tips__program_constant(p, 1, &scores);
    }
    if (status == TIPS_OK) status = tips__array_create(TIPS_ARRAY_INT64, 0, NULL, &scores);
    if (status == TIPS_OK) {
        scores.ints[0] = 10;
        status = tips__program_constant(p, 2, &scores);
    }
    if (status == TIPS_OK)
        status = tips__program_node(p, 0, "NonMaxSuppression", "", (const int[]){0, 1, 2}, 3, (const int[]){3}, 1);
    if (status == TIPS_OK) status = tips__program_output(p, "y", 3);
    if (status == TIPS_OK) status = tips__program_run(p, maps, out);
    tips__program_release(p);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (uint64_t n = 1;; n++) {
        tips_array out = {0};
        tips__alloc_fail_at(n);
        const tips_status status = make_and_run(&out);
        tips__alloc_fail_at(0);
        if (status == TIPS_MEMORY) continue;
        expect_ok(status);
        assert_true(out.n_dims == 2 && out.dims[0] == 2 && out.dims[1] == 3);
        assert_true(out.ints[2] == 1 && out.ints[5] == 2); /* the second covers the first */
        tips__array_free(&out);
        assert_true(n > 10);
        return;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_numbers), cmocka_unit_test(test_too_large),     cmocka_unit_test(test_endless),
        cmocka_unit_test(test_unknown),       cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
