/* Arithmetic on constants, element by element: floats in single precision, whole numbers with wrap-around. */
#include "onnx/onnx_fold.h"

#include "core/fail.h"

#include <math.h>

typedef enum arithmetic { ADD, SUB, MUL, DIV, MOD, MIN, MAX, POW, EQUAL, GREATER, LESS, AND, OR } arithmetic;

static float on_floats(arithmetic op, float a, float b) {
    switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case DIV: return a / b;
    case MOD: return fmodf(a, b);
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    default: return powf(a, b);
    }
}

static bool compares(arithmetic op) { return op >= EQUAL; }

static int64_t compare(arithmetic op, double a, double b) {
    switch (op) {
    case EQUAL: return a == b;
    case GREATER: return a > b;
    case LESS: return a < b;
    case AND: return a != 0 && b != 0;
    default: return a != 0 || b != 0;
    }
}

/* The remainder has the sign of the divisor, as in Python, unless fmod is asked for. */
static int64_t remainder_of(int64_t a, int64_t b) {
    if (b == -1) return 0;
    const int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static tips_status on_ints(arithmetic op, int64_t a, int64_t b, int64_t *out) {
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    if ((op == DIV || op == MOD) && b == 0) TIPS_FAIL(TIPS_FORMAT, "it divides by zero");
    switch (op) {
    case ADD: *out = (int64_t)(x + y); return TIPS_OK;
    case SUB: *out = (int64_t)(x - y); return TIPS_OK;
    case MUL: *out = (int64_t)(x * y); return TIPS_OK;
    case DIV: *out = b == -1 ? (int64_t)(0 - x) : a / b; return TIPS_OK;
    case MOD: *out = remainder_of(a, b); return TIPS_OK;
    case MIN: *out = a < b ? a : b; return TIPS_OK;
    case MAX: *out = a > b ? a : b; return TIPS_OK;
    default: TIPS_FAIL(TIPS_UNSUPPORTED, "it is not supported for whole numbers");
    }
}

static double number_at(const onnx_tensor *t, size_t i) { return t->floats ? t->floats[i] : (double)t->ints[i]; }

static tips_status fill_pair(arithmetic op, const onnx_tensor *a, const onnx_tensor *b, onnx_tensor *out) {
    for (size_t e = 0; e < out->elements; e++) {
        const size_t i = tips__onnx_fold_at(a, out->n_dims, out->dims, e);
        const size_t k = tips__onnx_fold_at(b, out->n_dims, out->dims, e);
        if (compares(op)) out->ints[e] = compare(op, number_at(a, i), number_at(b, k));
        else if (a->floats) out->floats[e] = on_floats(op, a->floats[i], b->floats ? b->floats[k] : (float)b->ints[k]);
        else TIPS_TRY(on_ints(op, a->ints[i], b->ints[k], &out->ints[e]));
    }
    return TIPS_OK;
}

static tips_status fold_pair(const onnx_importer *im, arithmetic op, onnx_tensor *out) {
    const onnx_tensor *a, *b;
    int n_dims;
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    TIPS_TRY(tips__onnx_fold_in(im, 0, &a));
    TIPS_TRY(tips__onnx_fold_in(im, 1, &b));
    if (im->node->n_in != 2) TIPS_FAIL(TIPS_UNSUPPORTED, "%d inputs are not supported", im->node->n_in);
    if ((op != POW || !a->floats) && !a->floats != !b->floats)
        TIPS_FAIL(TIPS_FORMAT, "its inputs are of different types");
    TIPS_TRY(tips__onnx_fold_spread(a, b, &n_dims, dims));
    TIPS_TRY(tips__onnx_fold_create(im, compares(op) ? ONNX_TYPE_BOOL : a->type, n_dims, dims, out));
    const tips_status status = fill_pair(op, a, b, out);
    if (status != TIPS_OK) tips__onnx_tensor_free(out);
    return status;
}

tips_status tips__onnx_fold_add(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, ADD, out); }
tips_status tips__onnx_fold_sub(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, SUB, out); }
tips_status tips__onnx_fold_mul(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, MUL, out); }
tips_status tips__onnx_fold_div(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, DIV, out); }
tips_status tips__onnx_fold_mod(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, MOD, out); }
tips_status tips__onnx_fold_min(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, MIN, out); }
tips_status tips__onnx_fold_max(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, MAX, out); }
tips_status tips__onnx_fold_pow(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, POW, out); }
tips_status tips__onnx_fold_equal(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, EQUAL, out); }
tips_status tips__onnx_fold_greater(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, GREATER, out); }
tips_status tips__onnx_fold_less(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, LESS, out); }
tips_status tips__onnx_fold_and(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, AND, out); }
tips_status tips__onnx_fold_or(onnx_importer *im, onnx_tensor *out) { return fold_pair(im, OR, out); }

static float reciprocal(float x) { return 1 / x; }
static float negative(float x) { return -x; }

/* `whole` NULL: floats only. */
static tips_status fold_one(const onnx_importer *im, float (*real)(float), int64_t (*whole)(int64_t),
                            onnx_tensor *out) {
    const onnx_tensor *x;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    if (x->floats ? !real : !whole)
        TIPS_FAIL(TIPS_UNSUPPORTED, "it is not supported for %s", tips__onnx_type_name(x->type));
    TIPS_TRY(tips__onnx_fold_create(im, x->type, x->n_dims, x->dims, out));
    for (size_t i = 0; i < x->elements; i++) {
        if (x->floats) out->floats[i] = real(x->floats[i]);
        else out->ints[i] = whole(x->ints[i]);
    }
    return TIPS_OK;
}

static int64_t negative_whole(int64_t x) { return (int64_t)(0 - (uint64_t)x); }
static int64_t absolute_whole(int64_t x) { return x < 0 ? negative_whole(x) : x; }
static int64_t is_false(int64_t x) { return x == 0; }

tips_status tips__onnx_fold_floor(onnx_importer *im, onnx_tensor *out) { return fold_one(im, floorf, NULL, out); }
tips_status tips__onnx_fold_ceil(onnx_importer *im, onnx_tensor *out) { return fold_one(im, ceilf, NULL, out); }
tips_status tips__onnx_fold_sqrt(onnx_importer *im, onnx_tensor *out) { return fold_one(im, sqrtf, NULL, out); }
tips_status tips__onnx_fold_exp(onnx_importer *im, onnx_tensor *out) { return fold_one(im, expf, NULL, out); }
tips_status tips__onnx_fold_reciprocal(onnx_importer *im, onnx_tensor *out) {
    return fold_one(im, reciprocal, NULL, out);
}
tips_status tips__onnx_fold_neg(onnx_importer *im, onnx_tensor *out) {
    return fold_one(im, negative, negative_whole, out);
}
tips_status tips__onnx_fold_abs(onnx_importer *im, onnx_tensor *out) {
    return fold_one(im, fabsf, absolute_whole, out);
}
tips_status tips__onnx_fold_not(onnx_importer *im, onnx_tensor *out) { return fold_one(im, NULL, is_false, out); }

static tips_status to_whole(float x, int64_t *out) {
    if (!(x > -9.2e18f && x < 9.2e18f)) TIPS_FAIL(TIPS_FORMAT, "%g does not become a whole number", x);
    *out = (int64_t)x;
    return TIPS_OK;
}

static tips_status convert(const onnx_tensor *x, onnx_tensor *out) {
    for (size_t i = 0; i < x->elements; i++) {
        if (out->floats) out->floats[i] = (float)number_at(x, i);
        else if (out->type == ONNX_TYPE_BOOL) out->ints[i] = number_at(x, i) != 0;
        else if (x->floats) TIPS_TRY(to_whole(x->floats[i], &out->ints[i]));
        else out->ints[i] = x->ints[i];
    }
    return TIPS_OK;
}

tips_status tips__onnx_fold_cast(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    int64_t to = 0;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "to", &to));
    if (to < 1 || to > 64) TIPS_FAIL(TIPS_FORMAT, "it casts to an unknown type");
    TIPS_TRY(tips__onnx_fold_create(im, (int)to, x->n_dims, x->dims, out));
    const tips_status status = convert(x, out);
    if (status != TIPS_OK) tips__onnx_tensor_free(out);
    return status;
}

tips_status tips__onnx_fold_where(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *c, *a, *b;
    onnx_tensor both = {0};
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    int n_dims;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &c));
    TIPS_TRY(tips__onnx_fold_in(im, 1, &a));
    TIPS_TRY(tips__onnx_fold_in(im, 2, &b));
    if (!c->ints || !a->floats != !b->floats) TIPS_FAIL(TIPS_FORMAT, "its inputs are not of types that go together");
    TIPS_TRY(tips__onnx_fold_spread(a, b, &both.n_dims, both.dims));
    TIPS_TRY(tips__onnx_fold_spread(c, &both, &n_dims, dims));
    TIPS_TRY(tips__onnx_fold_create(im, a->type, n_dims, dims, out));
    for (size_t e = 0; e < out->elements; e++) {
        const onnx_tensor *from = c->ints[tips__onnx_fold_at(c, n_dims, dims, e)] ? a : b;
        tips__onnx_fold_move(out, e, from, tips__onnx_fold_at(from, n_dims, dims, e));
    }
    return TIPS_OK;
}

tips_status tips__onnx_fold_reduce_prod(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    int64_t axes[TIPS_ONNX_MAX_DIMS], keep = 1, dims[TIPS_ONNX_MAX_DIMS];
    int count;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_numbers(im, "axes", 1, 18, TIPS_ONNX_MAX_DIMS, axes, &count));
    TIPS_TRY(tips__onnx_int(im->node->proto, "keepdims", &keep));
    if (x->n_dims > 1 && count > 0 && count != x->n_dims)
        TIPS_FAIL(TIPS_UNSUPPORTED, "only the product of all elements is supported");
    for (int i = 0; i < x->n_dims; i++) dims[i] = 1;
    TIPS_TRY(tips__onnx_fold_create(im, x->type, keep ? x->n_dims : 0, dims, out));
    if (out->floats) out->floats[0] = 1;
    else out->ints[0] = 1;
    for (size_t i = 0; i < x->elements; i++) {
        if (x->floats) out->floats[0] *= x->floats[i];
        else out->ints[0] = (int64_t)((uint64_t)out->ints[0] * (uint64_t)x->ints[i]);
    }
    return TIPS_OK;
}
