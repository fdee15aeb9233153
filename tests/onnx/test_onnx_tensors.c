/* ONNX graphs with tensors of other ranks than maps, as transformers have them: what they compute, against plain loops,
 * which layers they become, and what is refused. */
#include "model/open_logits.h"
#include "onnx/onnx_import.h"
#include "support/onnx_make.h"
#include "support/run_model.h"
#include "support/temporary.h"

#include "layer/layers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef TIPS_HAVE_ONNX
int main(void) {
    printf("skipped: built without ONNX (libonnx-dev protobuf-c-compiler libprotobuf-c-dev)\n");
    return 77;
}
#else

#define DIMS(...) \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) { __VA_ARGS__ }

/* Pictures of 3 channels, 4 rows and 6 columns, so that no two axes are alike. */
enum { C = 3, H = 4, W = 6, ALL = C * H * W, MOST = 4096 };

static const char *file(void) { return path_in_temporary("model.onnx"); }

static onnx_maker *start(int opset) {
    onnx_maker *m = make_onnx(opset);
    set_input(m, (const int64_t[]){1, C, H, W});
    return m;
}

static void node(onnx_maker *m, const char *op, const char *in, const char *out) { add_node(m, op, in, out); }

static void transpose(onnx_maker *m, const char *in, const char *out, int n, const int64_t *perm) {
    add_node(m, "Transpose", in, out);
    add_ints(m, "perm", n, perm);
}

static void reshape(onnx_maker *m, const char *in, const char *out, int n, const int64_t *dims) {
    char shape[64], both[128];
    snprintf(shape, sizeof shape, "%s.shape", out);
    snprintf(both, sizeof both, "%s,%s", in, shape);
    add_numbers(m, shape, n, dims);
    add_node(m, "Reshape", both, out);
}

/* The output of a test is a list, the last tensor in its plain order. */
static void finish(onnx_maker *m, const char *from) { reshape(m, from, "y", DIMS(1, -1)); }

static const float *numbers_of(onnx_maker *m, const char *name, int n, const int64_t *dims) {
    size_t count = 1;
    for (int i = 0; i < n; i++) count *= (size_t)dims[i];
    float *data = onnx_keep(m, count * sizeof *data);
    for (size_t i = 0; i < count; i++) data[i] = (float)((double)((i * 7 + 3) % 11) / 11 - 0.4);
    add_floats(m, name, n, dims, data);
    return data;
}

/* Runs the file on one picture; `want` (count) is what it should say. */
static void expect(onnx_maker *m, const double *want, int count) {
    tips_loaded_model model;
    float x[ALL], got[MOST];
    assert_true(count <= MOST);
    make_picture(x, ALL);
    write_onnx(m, file());
    if (tips__open_logits(file(), NULL, &model) != TIPS_OK) fail_msg("%s", tips_last_error());
    assert_int_equal(model.info.config.classes, count);
    if (run_model(&model.model, model.params, x, 1, got) != TIPS_OK) fail_msg("%s", tips_last_error());
    for (int i = 0; i < count; i++)
        if (!(fabs(got[i] - want[i]) <= 1e-5 * (1 + fabs(want[i]))))
            fail_msg("output %d is %g, not %g", i, got[i], want[i]);
    tips__loaded_model_destroy(&model);
    free_onnx(m);
}

static double at(int c, int y, int x) {
    static float picture[ALL];
    make_picture(picture, ALL);
    return picture[(c * H + y) * W + x];
}

static int count_steps(const char *layer) {
    tips_imported imported;
    int count = 0;
    if (tips__onnx_import(file(), NULL, &imported) != TIPS_OK) fail_msg("%s", tips_last_error());
    for (int i = 0; i < imported.blueprint->n_steps; i++)
        count += strcmp(imported.blueprint->steps[i].layer->name, layer) == 0;
    tips__imported_free(&imported);
    return count;
}

static void refused(onnx_maker *m, const char *reason) {
    tips_imported imported;
    write_onnx(m, file());
    assert_int_not_equal(tips__onnx_import(file(), NULL, &imported), TIPS_OK);
    if (!strstr(tips_last_error(), reason)) fail_msg("'%s' does not say '%s'", tips_last_error(), reason);
    free_onnx(m);
}

/* Windows of 2x3 pixels, and back from some of them. */
static void test_axes_in_any_order(void **state) {
    (void)state;
    double want[ALL];
    onnx_maker *m = start(13);
    reshape(m, "x", "a", DIMS(1, C, 2, 2, 2, 3));
    transpose(m, "a", "b", DIMS(0, 2, 4, 3, 5, 1));
    reshape(m, "b", "c", DIMS(-1, 6, C));
    transpose(m, "c", "d", DIMS(1, 0, 2));
    finish(m, "d");
    for (int p = 0; p < 6; p++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < C; c++)
                want[(p * 4 + k) * C + c] = at(c, k / 2 * 2 + p / 3, k % 2 * 3 + p % 3);
    expect(m, want, ALL);
    /* Axes that have no common parts with those there were. */
    m = start(13);
    transpose(m, "x", "a", DIMS(0, 2, 3, 1));
    reshape(m, "a", "b", DIMS(1, 9, 8));
    transpose(m, "b", "c", DIMS(0, 2, 1));
    finish(m, "c");
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 9; k++) {
            const int plain = k * 8 + i;
            want[i * 9 + k] = at(plain % C, plain / C / W, plain / C % W);
        }
    expect(m, want, ALL);
}

/* softmax(x^T x / 2) x^T over the positions of a map as tokens, in opsets before and after softmax had one axis. */
static void test_attention(void **state) {
    (void)state;
    enum { TOKENS = H * W };
    double want[ALL] = {0};
    for (int i = 0; i < TOKENS; i++) {
        double shares[TOKENS], sum = 0;
        for (int j = 0; j < TOKENS; j++) {
            double score = 0;
            for (int c = 0; c < C; c++) score += at(c, i / W, i % W) * at(c, j / W, j % W);
            sum += shares[j] = exp(score / 2);
        }
        for (int j = 0; j < TOKENS; j++)
            for (int c = 0; c < C; c++) want[i * C + c] += shares[j] / sum * at(c, j / W, j % W);
    }
    for (int opset = 11; opset <= 17; opset += 2) {
        onnx_maker *m = start(opset);
        const float half = 2;
        add_floats(m, "two", 0, NULL, &half);
        reshape(m, "x", "k", DIMS(1, C, -1));
        transpose(m, "k", "q", DIMS(0, 2, 1));
        node(m, "MatMul", "q,k", "scores");
        node(m, "Div", "scores,two", "scaled");
        node(m, "Softmax", "scaled", "shares");
        add_int(m, "axis", opset < 13 ? 2 : -1);
        node(m, "MatMul", "shares,q", "z");
        finish(m, "z");
        expect(m, want, ALL);
    }
    assert_int_equal(count_steps("matmul"), 2);
}

/* Heads that are part of the channels, the batch in the middle, constants on either side. */
static void test_products(void **state) {
    (void)state;
    double want[MOST];
    onnx_maker *m = start(13);
    const float *left = numbers_of(m, "left", DIMS(5, H * W));
    reshape(m, "x", "a", DIMS(C, H * W));
    transpose(m, "a", "b", DIMS(1, 0));
    node(m, "MatMul", "left,b", "z");
    finish(m, "z");
    for (int i = 0; i < 5; i++)
        for (int c = 0; c < C; c++) {
            want[i * C + c] = 0;
            for (int k = 0; k < H * W; k++) want[i * C + c] += left[i * H * W + k] * at(c, k / W, k % W);
        }
    expect(m, want, 5 * C);
    /* A matrix for each channel. */
    m = start(13);
    const float *each = numbers_of(m, "each", DIMS(C, W, 2));
    node(m, "MatMul", "x,each", "z");
    finish(m, "z");
    for (int c = 0; c < C; c++)
        for (int y = 0; y < H; y++)
            for (int j = 0; j < 2; j++) {
                want[(c * H + y) * 2 + j] = 0;
                for (int k = 0; k < W; k++) want[(c * H + y) * 2 + j] += at(c, y, k) * each[(c * W + k) * 2 + j];
            }
    expect(m, want, C * H * 2);
    /* Rows of tokens, with a bias, as Gemm has them. */
    m = start(13);
    const float *weight = numbers_of(m, "fc.weight", DIMS(4, C)), *bias = numbers_of(m, "fc.bias", DIMS(4));
    reshape(m, "x", "a", DIMS(C, H * W));
    transpose(m, "a", "b", DIMS(1, 0));
    node(m, "Gemm", "b,fc.weight,fc.bias", "z");
    add_int(m, "transB", 1);
    finish(m, "z");
    for (int i = 0; i < H * W; i++)
        for (int o = 0; o < 4; o++) {
            want[i * 4 + o] = bias[o];
            for (int c = 0; c < C; c++) want[i * 4 + o] += weight[o * C + c] * at(c, i / W, i % W);
        }
    expect(m, want, H * W * 4);
}

static void test_einsum(void **state) {
    (void)state;
    double want[MOST];
    onnx_maker *m = start(13);
    transpose(m, "x", "t", DIMS(0, 3, 2, 1));
    node(m, "Einsum", "x,t", "z");
    add_text(m, "equation", "nchw, nwxc -> nxh");
    finish(m, "z");
    for (int x = 0; x < H; x++)
        for (int h = 0; h < H; h++) {
            want[x * H + h] = 0;
            for (int c = 0; c < C; c++)
                for (int w = 0; w < W; w++) want[x * H + h] += at(c, h, w) * at(c, x, w);
        }
    expect(m, want, H * H);
    m = start(13);
    const float *table = numbers_of(m, "table", DIMS(C, H, 2));
    node(m, "Einsum", "x,table", "z");
    add_text(m, "equation", "nchw,chk->nhwk");
    finish(m, "z");
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            for (int k = 0; k < 2; k++) {
                want[(h * W + w) * 2 + k] = 0;
                for (int c = 0; c < C; c++) want[(h * W + w) * 2 + k] += at(c, h, w) * table[(c * H + h) * 2 + k];
            }
    expect(m, want, H * W * 2);
}

/* (x - mean) / sqrt(variance + eps) over channels. */
static double normed(int c, int y, int x, double eps) {
    double mean = 0, variance = 0;
    for (int k = 0; k < C; k++) mean += at(k, y, x) / C;
    for (int k = 0; k < C; k++) variance += pow(at(k, y, x) - mean, 2) / C;
    return (at(c, y, x) - mean) / sqrt(variance + eps);
}

static void add_means(onnx_maker *m, const char *of, int64_t axis, bool product) {
    const float two = 2, eps = 0.01f;
    char both[32];
    snprintf(both, sizeof both, "%s,mean", of);
    add_floats(m, "two", 0, NULL, &two);
    add_floats(m, "eps", 0, NULL, &eps);
    node(m, "ReduceMean", of, "mean");
    add_ints(m, "axes", 1, &axis);
    node(m, "Sub", both, "d");
    node(m, product ? "Mul" : "Pow", product ? "d,d" : "d,two", "d2");
    node(m, "ReduceMean", "d2", "v");
    add_ints(m, "axes", 1, &axis);
    node(m, "Add", "v,eps", "ve");
    node(m, "Sqrt", "ve", "s");
    node(m, "Div", "d,s", "q");
}

static void test_layer_norms(void **state) {
    (void)state;
    double want[ALL];
    for (int form = 0; form < 3; form++) {
        onnx_maker *m = start(form == 2 ? 17 : 13);
        const float *weight = numbers_of(m, "norm.weight", DIMS(C)), *bias = numbers_of(m, "norm.bias", DIMS(C));
        transpose(m, "x", "t", DIMS(0, 2, 3, 1));
        if (form == 2) {
            node(m, "LayerNormalization", "t,norm.weight,norm.bias", "z");
            add_float(m, "epsilon", 0.01f);
        } else {
            add_means(m, "t", -1, form == 1);
            node(m, "Mul", form ? "norm.weight,q" : "q,norm.weight", "p");
            node(m, "Add", "p,norm.bias", "z");
        }
        finish(m, "z");
        for (int i = 0; i < H * W; i++)
            for (int c = 0; c < C; c++) want[i * C + c] = normed(c, i / W, i % W, 0.01f) * weight[c] + bias[c];
        expect(m, want, ALL);
        assert_int_equal(count_steps("layer_norm"), 1);
        assert_int_equal(count_steps("combine") + count_steps("affine"), 0);
    }
    /* Over the channels of a map where they lie, without weights. */
    onnx_maker *m = start(13);
    add_means(m, "x", 1, false);
    finish(m, "q");
    for (int c = 0; c < C; c++)
        for (int i = 0; i < H * W; i++) want[c * H * W + i] = normed(c, i / W, i % W, 0.01f);
    expect(m, want, ALL);
    assert_int_equal(count_steps("layer_norm"), 1);
}

/* A number for every position, learnt or computed; a number by a map. */
static void test_constants(void **state) {
    (void)state;
    double want[ALL];
    onnx_maker *m = start(13);
    const float *own = numbers_of(m, "positions", DIMS(1, H * W, C)), *mask = numbers_of(m, "mask", DIMS(H, 1));
    const float three = 3;
    add_floats(m, "three", 0, NULL, &three);
    reshape(m, "x", "a", DIMS(1, C, H * W));
    transpose(m, "a", "b", DIMS(0, 2, 1));
    node(m, "Add", "positions,b", "c");
    transpose(m, "c", "d", DIMS(0, 2, 1));
    reshape(m, "d", "e", DIMS(1, C, H, W));
    node(m, "Mul", "mask,three", "computed");
    node(m, "Sub", "computed,e", "z");
    finish(m, "z");
    for (int c = 0; c < C; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                want[(c * H + y) * W + x] = 3 * mask[y] - at(c, y, x) - own[(y * W + x) * C + c];
    expect(m, want, ALL);
    assert_int_equal(count_steps("position_embedding"), 1);
    assert_int_equal(count_steps("constant"), 1);
    m = start(13);
    const float four = 4;
    add_floats(m, "four", 0, NULL, &four);
    node(m, "Add", "x,four", "a");
    node(m, "Div", "four,a", "z");
    finish(m, "z");
    for (int i = 0; i < ALL; i++) want[i] = 4 / (4 + at(i / (H * W), i / W % H, i % W));
    expect(m, want, ALL);
}

static void add_slice(onnx_maker *m, const char *in, const char *out, int64_t axis, int64_t from, int64_t to,
                      int64_t step) {
    char names[4][32], all[160];
    const int64_t values[] = {from, to, axis, step};
    for (int i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "%s.%d", out, i);
        add_numbers(m, names[i], 1, &values[i]);
    }
    snprintf(all, sizeof all, "%s,%s,%s,%s,%s", in, names[0], names[1], names[2], names[3]);
    node(m, "Slice", all, out);
}

static void concat(onnx_maker *m, const char *in, const char *out, int64_t axis) {
    node(m, "Concat", in, out);
    add_int(m, "axis", axis);
}

/* A map rolled around the torus, rows and columns, channels last. */
static void test_rolls(void **state) {
    (void)state;
    double want[ALL];
    onnx_maker *m = start(13);
    transpose(m, "x", "t", DIMS(0, 2, 3, 1));
    add_slice(m, "t", "down", 1, 3, INT64_MAX, 1);
    add_slice(m, "t", "up", 1, 0, 3, 1);
    concat(m, "down,up", "rows", 1);
    add_slice(m, "rows", "right", 2, -2, INT64_MAX, 1);
    add_slice(m, "rows", "left", 2, 0, -2, 1);
    concat(m, "right,left", "z", 2);
    finish(m, "z");
    for (int i = 0; i < H * W; i++)
        for (int c = 0; c < C; c++) want[i * C + c] = at(c, (i / W + 3) % H, (i % W + W - 2) % W);
    expect(m, want, ALL);
    assert_int_equal(count_steps("pad"), 2);
    assert_int_equal(count_steps("concat") + count_steps("permute"), 1); /* the last, to a list */
}

/* Tokens in front of those of a map, and pieces of a map in another order. */
static void test_joined(void **state) {
    (void)state;
    double want[ALL + 2 * C];
    onnx_maker *m = start(13);
    const float *token = numbers_of(m, "cls_token", DIMS(1, 1, C)), *other = numbers_of(m, "last", DIMS(1, 1, C));
    reshape(m, "x", "a", DIMS(1, C, H * W));
    transpose(m, "a", "b", DIMS(0, 2, 1));
    concat(m, "cls_token,b", "c", 1);
    concat(m, "c,last", "z", 1);
    finish(m, "z");
    for (int c = 0; c < C; c++) want[c] = token[c], want[(H * W + 1) * C + c] = other[c];
    for (int i = 0; i < H * W; i++)
        for (int c = 0; c < C; c++) want[(i + 1) * C + c] = at(c, i / W, i % W);
    expect(m, want, ALL + 2 * C);
    assert_int_equal(count_steps("class_token"), 1);
    m = start(13);
    add_slice(m, "x", "first", 2, 0, 1, 1);
    add_slice(m, "x", "rest", 2, 1, INT64_MAX, 2);
    concat(m, "rest,first", "z", 2);
    finish(m, "z");
    for (int c = 0; c < C; c++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < W; x++) want[(c * 3 + y) * W + x] = at(c, y == 2 ? 0 : 1 + 2 * y, x);
    expect(m, want, C * 3 * W);
}

/* Every other pixel in four ways, joined, as Swin merges patches. */
static void test_merged_patches(void **state) {
    (void)state;
    double want[ALL];
    onnx_maker *m = start(13);
    transpose(m, "x", "t", DIMS(0, 2, 3, 1));
    for (int k = 0; k < 4; k++) {
        char rows[16], both[16];
        snprintf(rows, sizeof rows, "r%d", k);
        snprintf(both, sizeof both, "p%d", k);
        add_slice(m, "t", rows, -3, k % 2, INT64_MAX, 2);
        add_slice(m, rows, both, -2, k / 2, INT64_MAX, 2);
    }
    concat(m, "p0,p1,p2,p3", "z", -1);
    finish(m, "z");
    for (int i = 0; i < H * W / 4; i++)
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < C; c++)
                want[(i * 4 + k) * C + c] = at(c, i / (W / 2) * 2 + k % 2, i % (W / 2) * 2 + k / 2);
    expect(m, want, ALL);
    assert_int_equal(count_steps("slice"), 8);
}

/* What is chosen of a map and of constants; a mask that is written part by part. */
static void test_masks(void **state) {
    (void)state;
    double want[ALL];
    onnx_maker *m = start(16);
    const int64_t places[] = {0, 1, 2, 5};
    const float updates[] = {1, -2}, low = -100, none = 0;
    add_numbers(m, "places.list", 4, places);
    add_numbers(m, "size", DIMS(H, W));
    add_floats(m, "updates", DIMS(2), updates);
    add_floats(m, "low", 0, NULL, &low);
    add_floats(m, "none", 0, NULL, &none);
    reshape(m, "places.list", "places", DIMS(2, 2));
    node(m, "ConstantOfShape", "size", "empty");
    node(m, "ScatterND", "empty,places,updates", "mask");
    node(m, "Equal", "mask,none", "open");
    node(m, "Where", "open,x,low", "z");
    finish(m, "z");
    for (int c = 0; c < C; c++)
        for (int i = 0; i < H * W; i++)
            want[c * H * W + i] = i == 1 || i == 2 * W + 5 ? -100 : at(c, i / W, i % W);
    expect(m, want, ALL);
}

static double softplus(double x) { return log1p(exp(x)); }
static double elu(double x) { return x > 0 ? x : 0.7 * expm1(x); }
static double gelu_tanh(double x) { return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x))); }
static double cube(double x) { return x * x * x; }

static void test_functions(void **state) {
    (void)state;
    static const struct {
        const char *op, *in;
        double (*function)(double);
    } cases[] = {{"Softplus", "x", softplus}, {"Elu", "x", elu}, {"Erf", "x", erf}, {"Gelu", "x", gelu_tanh},
                 {"Pow", "x,three", cube}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double want[ALL];
        const float three = 3;
        onnx_maker *m = start(20);
        add_floats(m, "three", 0, NULL, &three);
        node(m, cases[i].op, cases[i].in, "z");
        if (cases[i].function == elu) add_float(m, "alpha", 0.7f);
        if (cases[i].function == gelu_tanh) add_text(m, "approximate", "tanh");
        finish(m, "z");
        for (int k = 0; k < ALL; k++) want[k] = cases[i].function(at(k / (H * W), k / W % H, k % W));
        expect(m, want, ALL);
    }
}

/* Means over channels, over one of several axes; the largest of a map. */
static void test_reductions(void **state) {
    (void)state;
    double want[ALL];
    onnx_maker *m = start(13);
    node(m, "ReduceMean", "x", "z");
    add_ints(m, "axes", DIMS(1, 3));
    add_int(m, "keepdims", 0);
    finish(m, "z");
    for (int y = 0; y < H; y++) {
        want[y] = 0;
        for (int i = 0; i < C * W; i++) want[y] += at(i / W, y, i % W) / (C * W);
    }
    expect(m, want, H);
    m = start(13);
    node(m, "GlobalMaxPool", "x", "z");
    finish(m, "z");
    for (int c = 0; c < C; c++) {
        want[c] = -INFINITY;
        for (int i = 0; i < H * W; i++) want[c] = fmax(want[c], at(c, i / W, i % W));
    }
    expect(m, want, C);
}

static onnx_maker *with_equation(const char *equation) {
    onnx_maker *m = start(13);
    node(m, "Einsum", "x,x", "z");
    add_text(m, "equation", equation);
    finish(m, "z");
    return m;
}

static void test_refusals(void **state) {
    (void)state;
    refused(with_equation("...hw,...hw->...w"), "Einsum node 'z': the equation '...hw,...hw->...w' is not supported");
    refused(with_equation("nchw,ncww->nc"), "letters, each once, are");
    refused(with_equation("nchw,nchw"), "it needs two inputs and '->'");
    refused(with_equation("nch,nchw->n"), "does not fit a tensor of 4 dimensions");
    refused(with_equation("nchw,ncab->nca"), "it sums over an axis that one input has alone");
    onnx_maker *m = start(13);
    node(m, "Sqrt", "x", "z");
    finish(m, "z");
    refused(m, "export the network with opset 17 or later");
    m = start(13);
    const float half = 0.5f;
    add_floats(m, "half", 0, NULL, &half);
    node(m, "Pow", "x,half", "z");
    finish(m, "z");
    refused(m, "powers from 1 to 4 are supported");
    m = start(13);
    add_floats(m, "half", 0, NULL, &half);
    add_numbers(m, "whole", DIMS(2));
    node(m, "Pow", "whole,half", "p");
    node(m, "Add", "x,p", "z");
    finish(m, "z");
    refused(m, "its inputs are of different types");
    m = start(13);
    node(m, "Softmax", "x", "z");
    add_int(m, "axis", 0);
    finish(m, "z");
    refused(m, "axis 0 is that of the samples of a batch, which it would mix");
    m = start(13);
    concat(m, "x,x", "z", 0);
    finish(m, "z");
    refused(m, "axis 0 is that of the samples of a batch");
    m = start(13);
    numbers_of(m, "each", DIMS(2, 1, W, 2));
    node(m, "MatMul", "x,each", "z");
    finish(m, "z");
    refused(m, "each input is spread over axes of the other");
    m = start(13);
    set_input(m, (const int64_t[]){4, C, H, W});
    reshape(m, "x", "a", DIMS(4 * C, H * W));
    finish(m, "a");
    refused(m, "its shape holds for batches of 4 only; export the network for a batch of 1, or an open one");
    m = start(20);
    node(m, "Gelu", "x", "z");
    add_text(m, "approximate", "best");
    finish(m, "z");
    refused(m, "the approximation 'best' is not supported, only 'none' and 'tanh'");
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes_in_any_order), cmocka_unit_test(test_attention), cmocka_unit_test(test_products),
        cmocka_unit_test(test_einsum), cmocka_unit_test(test_layer_norms), cmocka_unit_test(test_constants),
        cmocka_unit_test(test_rolls), cmocka_unit_test(test_joined), cmocka_unit_test(test_merged_patches),
        cmocka_unit_test(test_masks), cmocka_unit_test(test_functions), cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}

#endif
