/* Operators that treat elements alone, or those of several arrays together, each spread over the others. */
#include "dynamic/dynamic_parts.h"

#include <math.h>
#include <string.h>

typedef struct slope {
    double alpha, beta;
} slope;

/* The nearest whole number that there is. */
static int64_t nearest(double x) { return x >= 0x1p63 ? INT64_MAX : x > -0x1p63 ? (int64_t)x : INT64_MIN; }

static float f_abs(float x, slope s) { return (void)s, fabsf(x); }
static float f_neg(float x, slope s) { return (void)s, -x; }
static float f_sign(float x, slope s) { return (void)s, (float)((x > 0) - (x < 0)); }
static float f_ceil(float x, slope s) { return (void)s, ceilf(x); }
static float f_floor(float x, slope s) { return (void)s, floorf(x); }
static float f_round(float x, slope s) { return (void)s, nearbyintf(x); }
static float f_sqrt(float x, slope s) { return (void)s, sqrtf(x); }
static float f_exp(float x, slope s) { return (void)s, expf(x); }
static float f_log(float x, slope s) { return (void)s, logf(x); }
static float f_sin(float x, slope s) { return (void)s, sinf(x); }
static float f_cos(float x, slope s) { return (void)s, cosf(x); }
static float f_erf(float x, slope s) { return (void)s, erff(x); }
static float f_tanh(float x, slope s) { return (void)s, tanhf(x); }
static float f_relu(float x, slope s) { return (void)s, x < 0 ? 0 : x; }
static float f_reciprocal(float x, slope s) { return (void)s, 1 / x; }
static float f_sigmoid(float x, slope s) {
    (void)s;
    return x >= 0 ? 1 / (1 + expf(-x)) : expf(x) / (1 + expf(x));
}
static float f_softplus(float x, slope s) { return (void)s, x > 0 ? x + log1pf(expf(-x)) : log1pf(expf(x)); }
static float f_leaky(float x, slope s) { return x < 0 ? (float)s.alpha * x : x; }
static float f_hard(float x, slope s) { return fmaxf(0, fminf(1, (float)s.alpha * x + (float)s.beta)); }

static int64_t negated(int64_t x) { return (int64_t)(0 - (uint64_t)x); }
static int64_t i_abs(int64_t x) { return x < 0 ? negated(x) : x; }
static int64_t i_sign(int64_t x) { return (x > 0) - (x < 0); }
static int64_t i_relu(int64_t x) { return x < 0 ? 0 : x; }

static const struct {
    const char *name;
    float (*floats)(float x, slope s);
    int64_t (*ints)(int64_t x);
    slope usual;
} unaries[] = {
    {"Abs", f_abs, i_abs, {0, 0}},
    {"Ceil", f_ceil, NULL, {0, 0}},
    {"Cos", f_cos, NULL, {0, 0}},
    {"Erf", f_erf, NULL, {0, 0}},
    {"Exp", f_exp, NULL, {0, 0}},
    {"Floor", f_floor, NULL, {0, 0}},
    {"HardSigmoid", f_hard, NULL, {0.2, 0.5}},
    {"LeakyRelu", f_leaky, NULL, {0.01, 0}},
    {"Log", f_log, NULL, {0, 0}},
    {"Neg", f_neg, negated, {0, 0}},
    {"Reciprocal", f_reciprocal, NULL, {0, 0}},
    {"Relu", f_relu, i_relu, {0, 0}},
    {"Round", f_round, NULL, {0, 0}},
    {"Sigmoid", f_sigmoid, NULL, {0, 0}},
    {"Sign", f_sign, i_sign, {0, 0}},
    {"Sin", f_sin, NULL, {0, 0}},
    {"Softplus", f_softplus, NULL, {0, 0}},
    {"Sqrt", f_sqrt, NULL, {0, 0}},
    {"Tanh", f_tanh, NULL, {0, 0}},
};

tips_status tips__dynamic_unary(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    tips_array *y;
    size_t k = 0;
    while (strcmp(unaries[k].name, r->node->op->name) != 0) k++;
    const slope s = {tips__dynamic_float(r, "alpha", unaries[k].usual.alpha),
                     tips__dynamic_float(r, "beta", unaries[k].usual.beta)};
    if (x->type != TIPS_ARRAY_FLOAT && !unaries[k].ints)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its input is of type %s; floating-point numbers are needed",
                  tips__array_type_names[x->type]);
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, x->dims, &y));
    for (size_t i = 0; i < x->count; i++) {
        if (x->floats) y->floats[i] = unaries[k].floats(x->floats[i], s);
        else y->ints[i] = tips__array_narrow(x->type, unaries[k].ints(x->ints[i]));
    }
    return TIPS_OK;
}

tips_status tips__dynamic_not(dynamic_run *r) {
    const tips_array *x;
    tips_array *y;
    TIPS_TRY(tips__dynamic_ints(r, 0, &x));
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_BOOL, x->n_dims, x->dims, &y));
    for (size_t i = 0; i < x->count; i++) y->ints[i] = !x->ints[i];
    return TIPS_OK;
}

tips_status tips__dynamic_is_nan(dynamic_run *r) {
    const tips_array *x;
    tips_array *y;
    TIPS_TRY(tips__dynamic_floats(r, 0, &x));
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_BOOL, x->n_dims, x->dims, &y));
    for (size_t i = 0; i < x->count; i++) y->ints[i] = isnan(x->floats[i]) != 0;
    return TIPS_OK;
}

static int64_t i_pow(int64_t x, double y) {
    const double power = pow((double)x, y);
    return power >= -0x1p63 && power < 0x1p63 ? (int64_t)power : 0;
}

static float f_two(const char *op, float a, float b, bool c_mod) {
    switch (op[0]) {
    case 'A': return a + b;
    case 'S': return a - b;
    case 'D': return a / b;
    case 'P': return powf(a, b);
    default: break;
    }
    if (op[1] == 'u') return a * b;
    const float rest = fmodf(a, b);
    return !c_mod && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static tips_status i_two(const char *op, int64_t a, int64_t b, bool c_mod, int64_t *out) {
    switch (op[0]) {
    case 'A': *out = (int64_t)((uint64_t)a + (uint64_t)b); return TIPS_OK;
    case 'S': *out = (int64_t)((uint64_t)a - (uint64_t)b); return TIPS_OK;
    case 'P': *out = i_pow(a, (double)b); return TIPS_OK;
    default: break;
    }
    if (op[0] == 'M' && op[1] == 'u') {
        *out = (int64_t)((uint64_t)a * (uint64_t)b);
        return TIPS_OK;
    }
    if (b == 0) TIPS_FAIL(TIPS_RANGE, "it divides %lld by zero", (long long)a);
    if (b == -1) *out = op[0] == 'D' ? negated(a) : 0;
    else if (op[0] == 'D') *out = a / b;
    else *out = !c_mod && a % b != 0 && (a % b < 0) != (b < 0) ? a % b + b : a % b;
    return TIPS_OK;
}

/* Inputs a and b spread over each other, and output 0 of a type. */
static tips_status begin_two(dynamic_run *r, const tips_array *a, const tips_array *b, tips_array_type type,
                             tips_array **y, dynamic_walk *walk) {
    *walk = (dynamic_walk){.n = 2};
    TIPS_TRY(tips__dynamic_spread((const tips_array *const[]){a, b}, 2, &walk->n_dims, walk->dims));
    tips__dynamic_strides(a, walk->n_dims, walk->dims, walk->strides[0]);
    tips__dynamic_strides(b, walk->n_dims, walk->dims, walk->strides[1]);
    return tips__dynamic_out(r, 0, type, walk->n_dims, walk->dims, y);
}

static tips_status check_alike(const tips_array *a, const tips_array *b) {
    if ((a->type == TIPS_ARRAY_FLOAT) != (b->type == TIPS_ARRAY_FLOAT))
        TIPS_FAIL(TIPS_FORMAT, "its inputs are of types %s and %s", tips__array_type_names[a->type],
                  tips__array_type_names[b->type]);
    return TIPS_OK;
}

/* A power keeps the type of what is raised, whatever that of the exponent. */
static tips_status mixed_power(dynamic_run *r, const tips_array *a, const tips_array *b) {
    dynamic_walk walk;
    tips_array *y;
    TIPS_TRY(begin_two(r, a, b, a->type, &y, &walk));
    for (size_t i = 0; i < y->count; i++, tips__dynamic_next(&walk)) {
        const double exponent = b->floats ? (double)b->floats[walk.at[1]] : (double)b->ints[walk.at[1]];
        if (y->floats) y->floats[i] = powf(a->floats[walk.at[0]], (float)exponent);
        else y->ints[i] = tips__array_narrow(y->type, i_pow(a->ints[walk.at[0]], exponent));
    }
    return TIPS_OK;
}

tips_status tips__dynamic_binary(dynamic_run *r) {
    const tips_array *a = tips__dynamic_in(r, 0), *b = tips__dynamic_in(r, 1);
    const char *op = r->node->op->name;
    const bool c_mod = tips__dynamic_int(r, "fmod", 0) != 0;
    dynamic_walk walk;
    tips_array *y;
    if (op[0] == 'P' && a->type != b->type) return mixed_power(r, a, b);
    TIPS_TRY(check_alike(a, b));
    TIPS_TRY(begin_two(r, a, b, a->type, &y, &walk));
    for (size_t i = 0; i < y->count; i++, tips__dynamic_next(&walk)) {
        if (y->floats) {
            y->floats[i] = f_two(op, a->floats[walk.at[0]], b->floats[walk.at[1]], c_mod);
            continue;
        }
        TIPS_TRY(i_two(op, a->ints[walk.at[0]], b->ints[walk.at[1]], c_mod, &y->ints[i]));
        y->ints[i] = tips__array_narrow(y->type, y->ints[i]);
    }
    return TIPS_OK;
}

typedef enum relation { EQUAL, LESS, GREATER, LESS_EQUAL, GREATER_EQUAL, AND, OR, XOR } relation;

static const char *const relation_names[] = {"Equal",          "Less", "Greater", "LessOrEqual",
                                             "GreaterOrEqual", "And",  "Or",      "Xor"};

static bool holds(relation is, bool less, bool equal, bool greater, bool a, bool b) {
    switch (is) {
    case EQUAL: return equal;
    case LESS: return less;
    case GREATER: return greater;
    case LESS_EQUAL: return less || equal;
    case GREATER_EQUAL: return greater || equal;
    case AND: return a && b;
    case OR: return a || b;
    case XOR: break;
    }
    return a != b;
}

tips_status tips__dynamic_compare(dynamic_run *r) {
    const tips_array *a = tips__dynamic_in(r, 0), *b = tips__dynamic_in(r, 1);
    int is = 0;
    dynamic_walk walk;
    tips_array *y;
    while (strcmp(relation_names[is], r->node->op->name) != 0) is++;
    TIPS_TRY(check_alike(a, b));
    if (is >= AND && a->floats) TIPS_FAIL(TIPS_FORMAT, "its inputs are no truth values");
    TIPS_TRY(begin_two(r, a, b, TIPS_ARRAY_BOOL, &y, &walk));
    for (size_t i = 0; i < y->count; i++, tips__dynamic_next(&walk)) {
        if (a->floats) {
            const float p = a->floats[walk.at[0]], q = b->floats[walk.at[1]];
            y->ints[i] = holds((relation)is, p<q, p == q, p> q, false, false);
        } else {
            const int64_t p = a->ints[walk.at[0]], q = b->ints[walk.at[1]];
            y->ints[i] = holds((relation)is, p<q, p == q, p> q, p != 0, q != 0);
        }
    }
    return TIPS_OK;
}

/* The largest, smallest or sum of all inputs; what is not a number stays so. */
static float f_fold(char op, float a, float b) {
    if (op == 'S') return a + b;
    if (isnan(a) || isnan(b)) return NAN;
    return (op == 'a') == (a > b) ? a : b;
}

static int64_t i_fold(char op, int64_t a, int64_t b) {
    if (op == 'S') return (int64_t)((uint64_t)a + (uint64_t)b);
    return (op == 'a') == (a > b) ? a : b;
}

/* 'S', or the second letter of Max and Min. */
static char fold_kind(const dynamic_run *r) { return r->node->op->name[0] == 'S' ? 'S' : r->node->op->name[1]; }

static tips_status fold_shape(const dynamic_run *r, int *n_dims, int64_t dims[TIPS_ARRAY_MOST_DIMS]) {
    tips_array common = *tips__dynamic_in(r, 0);
    for (int k = 1; k < r->node->n_in; k++) {
        const tips_array *next = tips__dynamic_in(r, k);
        if (!next) TIPS_FAIL(TIPS_FORMAT, "its input %d is missing", k);
        TIPS_TRY(check_alike(&common, next));
        TIPS_TRY(tips__dynamic_spread((const tips_array *const[]){&common, next}, 2, n_dims, dims));
        common.n_dims = *n_dims;
        memcpy(common.dims, dims, (size_t)*n_dims * sizeof *dims);
    }
    *n_dims = common.n_dims;
    memcpy(dims, common.dims, sizeof common.dims);
    return TIPS_OK;
}

tips_status tips__dynamic_fold_all(dynamic_run *r) {
    const char op = fold_kind(r);
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    int n_dims;
    tips_array *y;
    TIPS_TRY(fold_shape(r, &n_dims, dims));
    TIPS_TRY(tips__dynamic_out(r, 0, tips__dynamic_in(r, 0)->type, n_dims, dims, &y));
    for (int k = 0; k < r->node->n_in; k++) {
        const tips_array *x = tips__dynamic_in(r, k);
        dynamic_walk walk = {.n_dims = n_dims, .n = 1};
        memcpy(walk.dims, dims, sizeof dims);
        tips__dynamic_strides(x, n_dims, dims, walk.strides[0]);
        for (size_t i = 0; i < y->count; i++, tips__dynamic_next(&walk)) {
            if (y->floats) y->floats[i] = k ? f_fold(op, y->floats[i], x->floats[walk.at[0]]) : x->floats[walk.at[0]];
            else y->ints[i] = k ? i_fold(op, y->ints[i], x->ints[walk.at[0]]) : x->ints[walk.at[0]];
        }
    }
    return TIPS_OK;
}

tips_status tips__dynamic_where(dynamic_run *r) {
    const tips_array *condition, *a = tips__dynamic_in(r, 1), *b = tips__dynamic_in(r, 2);
    dynamic_walk walk = {.n = 3};
    tips_array *y;
    TIPS_TRY(tips__dynamic_ints(r, 0, &condition));
    TIPS_TRY(check_alike(a, b));
    const tips_array *const in[3] = {condition, a, b};
    TIPS_TRY(tips__dynamic_spread(in, 3, &walk.n_dims, walk.dims));
    for (int k = 0; k < 3; k++) tips__dynamic_strides(in[k], walk.n_dims, walk.dims, walk.strides[k]);
    TIPS_TRY(tips__dynamic_out(r, 0, a->type, walk.n_dims, walk.dims, &y));
    for (size_t i = 0; i < y->count; i++, tips__dynamic_next(&walk)) {
        const int k = condition->ints[walk.at[0]] ? 1 : 2;
        if (y->floats) y->floats[i] = in[k]->floats[walk.at[k]];
        else y->ints[i] = in[k]->ints[walk.at[k]];
    }
    return TIPS_OK;
}

tips_status tips__dynamic_clip(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    double least, most;
    tips_array *y;
    TIPS_TRY(tips__dynamic_scalar(r, 1, tips__dynamic_float(r, "min", -INFINITY), &least));
    TIPS_TRY(tips__dynamic_scalar(r, 2, tips__dynamic_float(r, "max", INFINITY), &most));
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, x->dims, &y));
    for (size_t i = 0; i < x->count; i++) {
        if (x->floats) {
            float v = x->floats[i];
            if (v < (float)least) v = (float)least;
            if (v > (float)most) v = (float)most;
            y->floats[i] = v;
        } else {
            int64_t v = x->ints[i];
            if ((double)v < least) v = nearest(least);
            if ((double)v > most) v = nearest(most);
            y->ints[i] = v;
        }
    }
    return TIPS_OK;
}

/* ONNX's numbers of types. */
static tips_array_type type_of_number(int64_t number) {
    switch (number) {
    case 1:
    case 10:
    case 11:
    case 16: return TIPS_ARRAY_FLOAT;
    case 2: return TIPS_ARRAY_UINT8;
    case 3: return TIPS_ARRAY_INT8;
    case 4:
    case 5:
    case 6: return TIPS_ARRAY_INT32;
    case 7:
    case 12:
    case 13: return TIPS_ARRAY_INT64;
    case 9: return TIPS_ARRAY_BOOL;
    default: return TIPS_ARRAY_NONE;
    }
}

static int64_t to_whole(tips_array_type type, float x) {
    if (type == TIPS_ARRAY_BOOL) return x != 0;
    return tips__array_narrow(type, nearest((double)x));
}

tips_status tips__dynamic_cast(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const int64_t to = tips__dynamic_int(r, "to", 0);
    const tips_array_type type = type_of_number(to);
    tips_array *y;
    if (type == TIPS_ARRAY_NONE) TIPS_FAIL(TIPS_UNSUPPORTED, "it casts to type %lld", (long long)to);
    TIPS_TRY(tips__dynamic_out(r, 0, type, x->n_dims, x->dims, &y));
    for (size_t i = 0; i < x->count; i++) {
        if (y->floats) y->floats[i] = x->floats ? x->floats[i] : (float)x->ints[i];
        else y->ints[i] = x->floats ? to_whole(type, x->floats[i]) : tips__array_narrow(type, x->ints[i]);
    }
    return TIPS_OK;
}
