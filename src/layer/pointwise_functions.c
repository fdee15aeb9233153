/* The pointwise layers: clip, leaky_relu, sigmoid, hard_sigmoid, hard_swish, silu, tanh, gelu, gelu_tanh, erf, elu,
 * softplus.
 *
 * Each is a value, a slope and the same in double. Everything is selections and arithmetic on whole vectors, so an
 * element's bits follow from the element alone. Comparisons are written so that NaN stays NaN. */
#include "layer/layers.h"
#include "layer/pointwise.h"

typedef tips_pointwise_numbers numbers;
typedef vf (*vector_function)(vf x, vf a, vf b);

static inline __attribute__((always_inline)) void value_row(vector_function value, const float *x, float *y, int count,
                                                            vi mask, numbers k) {
    const vf a = vf_set((float)k.a), b = vf_set((float)k.b);
    for (int i = 0; i < count; i += TIPS_BLOCK) vf_store(y + i, tips__masked(value(vf_load(x + i), a, b), mask));
}

static inline __attribute__((always_inline)) void slope_row(vector_function slope, const float *known, const float *dy,
                                                            float *dx, int count, vi mask, numbers k, bool accumulate) {
    const vf a = vf_set((float)k.a), b = vf_set((float)k.b);
    for (int i = 0; i < count; i += TIPS_BLOCK)
        tips__put(dx + i, tips__masked(slope(vf_load(known + i), a, b) * vf_load(dy + i), mask), accumulate);
}

/* The rows of one function, with its vector code in the loop. */
#define ROWS_OF(name)                                                                                          \
    static void name##_forward(const float *x, float *y, int count, vi mask, numbers k) {                      \
        value_row(name##_value, x, y, count, mask, k);                                                         \
    }                                                                                                          \
    static void name##_backward(const float *known, const float *dy, float *dx, int count, vi mask, numbers k, \
                                bool accumulate) {                                                             \
        slope_row(name##_slope, known, dy, dx, count, mask, k, accumulate);                                    \
    }

static inline vf inside(vf x, vf low, vf high, vf slope) { return tips__masked(slope, (x > low) & (x < high)); }

/* -------------------------------------------------------------------------------------------------------- clip */

static inline vf clip_value(vf x, vf min, vf max) { return vf_between(x, min, max); }
static inline vf clip_slope(vf y, vf min, vf max) { return inside(y, min, max, vf_set(1)); }
static double clip_ref(double x, numbers k) { return fmin(fmax(x, k.a), k.b); }
static numbers clip_numbers(const void *config) {
    const tips_clip *c = config;
    return (numbers){c->min, c->max};
}
ROWS_OF(clip)

/* -------------------------------------------------------------------------------------------------- leaky_relu */

static inline vf leaky_relu_value(vf x, vf alpha, vf unused) {
    (void)unused;
    return vf_select(x < (vf){0}, alpha * x, x);
}
static inline vf leaky_relu_slope(vf x, vf alpha, vf unused) {
    (void)unused;
    return vf_select(x > (vf){0}, vf_set(1), alpha);
}
static double leaky_relu_ref(double x, numbers k) { return x >= 0 ? x : k.a * x; }
static numbers leaky_relu_numbers(const void *config) {
    return (numbers){.a = ((const tips_leaky_relu *)config)->alpha};
}
ROWS_OF(leaky_relu)

/* ----------------------------------------------------------------------------------------------------- sigmoid */

/* 1 + exp(-x) to about 1 ulp: 1 + 2^n p(r) with r = -x - n ln2, |r| <= ln2/2. Adding `round` leaves n + 127, which is
 * the exponent of 2^n, in the last bits. Beyond -88..87 it stays what it is there. */
static inline vf one_plus_exp_minus(vf x) {
    const float round = 12582912.0f + 127; /* 1.5 * 2^23 */
    x = vf_between(x, vf_set(-88), vf_set(87));
    const vf shifted = vf_fma(x, vf_set(-1.44269504f), vf_set(round)), n = shifted - round;
    vf r = vf_fma(n, vf_set(-0.693359375f), -x);
    r = vf_fma(n, vf_set(2.12194440e-4f), r);
    vf p = vf_set(0.00138145402f);
    p = vf_fma(p, r, vf_set(0.00836874511f));
    p = vf_fma(p, r, vf_set(0.0416683908f));
    p = vf_fma(p, r, vf_set(0.166665204f));
    p = vf_fma(p, r, vf_set(0.499999934f));
    p = vf_fma(p, r, vf_set(1));
    p = vf_fma(p, r, vf_set(1));
    return vf_fma(p, (vf)((vi)shifted << 23), vf_set(1));
}

static inline vf sigmoid_value(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return 1.0f / one_plus_exp_minus(x);
}
/* x sigmoid(x): one division, no product. */
static void sigmoid_gated(float *x, int count, vi mask, numbers k) {
    (void)k;
    for (int i = 0; i < count; i += TIPS_BLOCK) {
        const vf at = vf_load(x + i);
        vf_store(x + i, tips__masked(at / one_plus_exp_minus(at), mask));
    }
}
static inline vf sigmoid_slope(vf y, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return y * (1.0f - y);
}
static double sigmoid_ref(double x, numbers k) {
    (void)k;
    return 1 / (1 + exp(-x));
}
ROWS_OF(sigmoid)

static inline vf silu_value(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return x / one_plus_exp_minus(x);
}
static inline vf silu_slope(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    const vf gate = 1.0f / one_plus_exp_minus(x);
    return gate * (1.0f + x * (1.0f - gate));
}
static double silu_ref(double x, numbers k) {
    (void)k;
    return x / (1 + exp(-x));
}
ROWS_OF(silu)

/* ------------------------------------------------------------------------------------ hard_sigmoid, hard_swish */

static inline vf hard_sigmoid_value(vf x, vf alpha, vf beta) {
    return vf_between(vf_fma(alpha, x, beta), (vf){0}, vf_set(1));
}
static inline vf hard_sigmoid_slope(vf y, vf alpha, vf unused) {
    (void)unused;
    return inside(y, (vf){0}, vf_set(1), alpha);
}
static double hard_sigmoid_ref(double x, numbers k) { return fmax(0, fmin(1, k.a * x + k.b)); }
static numbers hard_sigmoid_numbers(const void *config) {
    const tips_hard_sigmoid *c = config;
    return (numbers){c->alpha, c->beta};
}
ROWS_OF(hard_sigmoid)

static inline vf hard_swish_value(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return x * vf_between(x + 3.0f, (vf){0}, vf_set(6)) / 6.0f;
}
static inline vf hard_swish_slope(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    const vf middle = x / 3.0f + 0.5f;
    return vf_select(x > vf_set(3), vf_set(1), vf_select(x < vf_set(-3), (vf){0}, middle));
}
static double hard_swish_ref(double x, numbers k) {
    (void)k;
    if (x <= -3) return 0;
    return x >= 3 ? x : x * (x + 3) / 6;
}
ROWS_OF(hard_swish)

/* -------------------------------------------------------------------------------------------------------- tanh */

/* Near zero x + x^3 p(x^2), which keeps the digits that 1 - 2 / (exp(2x) + 1) loses there; the error is 1e-7 of y. */
static inline vf tanh_value(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    const vf size = vf_abs(x), square = x * x;
    vf p = vf_set(-0.005511370022f);
    p = vf_fma(p, square, vf_set(0.02046589181f));
    p = vf_fma(p, square, vf_set(-0.05368690565f));
    p = vf_fma(p, square, vf_set(0.1333081722f));
    p = vf_fma(p, square, vf_set(-0.3333325982f));
    const vf near = vf_fma(p * square, x, x), far = 1.0f - 2.0f / (vf_exp(2.0f * size) + 1.0f);
    return vf_select(size < vf_set(0.65f), near, vf_select(x < (vf){0}, -far, far));
}
static inline vf tanh_slope(vf y, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return (1.0f - y) * (1.0f + y);
}
static double tanh_ref(double x, numbers k) {
    (void)k;
    return tanh(x);
}
ROWS_OF(tanh)

/* -------------------------------------------------------------------------------------------------------- gelu */

/* P(X <= x) of the standard normal distribution, from e = exp(-x^2/2). The tail beyond |x| is e u q(u)/2 with
 * u = 1 / (1 + |x|/sqrt(8)); q fits it to a relative 3e-7 up to |x| = 14, where it has vanished. */
static inline vf normal_below(vf x, vf e) {
    const vf u = 1.0f / vf_fma(vf_abs(x), vf_set(0.353553391f), vf_set(1));
    vf q = vf_set(-0.0590688847f);
    q = vf_fma(q, u, vf_set(0.284574628f));
    q = vf_fma(q, u, vf_set(-0.487199277f));
    q = vf_fma(q, u, vf_set(0.278066546f));
    q = vf_fma(q, u, vf_set(-0.0266252849f));
    q = vf_fma(q, u, vf_set(0.202686727f));
    q = vf_fma(q, u, vf_set(0.243103787f));
    q = vf_fma(q, u, vf_set(0.282375306f));
    q = vf_fma(q, u, vf_set(0.282086432f));
    const vf tail = 0.5f * e * u * q;
    return vf_select(x < (vf){0}, tail, 1.0f - tail);
}

static inline vf gelu_value(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return x * normal_below(x, vf_exp(-0.5f * x * x));
}
static inline vf gelu_slope(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    const vf e = vf_exp(-0.5f * x * x);
    return vf_fma(x * 0.398942280f, e, normal_below(x, e));
}
static double gelu_ref(double x, numbers k) {
    (void)k;
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}
ROWS_OF(gelu)

/* With tanh in place of erf, x (1 + tanh u) / 2 = x sigmoid(2 u) for u = sqrt(2/pi) (x + 0.044715 x^3). */
static inline vf gelu_tanh_value(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return x / one_plus_exp_minus(x * vf_fma(x * x, vf_set(0.0713548163f), vf_set(1.59576912f)));
}
/* Beyond 12 it is 0 or 1, and the gate's smallest number times the cube of a large one would be neither. */
static inline vf gelu_tanh_slope(vf given, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    const vf most = vf_set(12), x = vf_select(given > most, most, vf_select(given < -most, -most, given));
    const vf square = x * x;
    const vf gate = 1.0f / one_plus_exp_minus(x * vf_fma(square, vf_set(0.0713548163f), vf_set(1.59576912f)));
    const vf steep = x * vf_fma(square, vf_set(0.214064449f), vf_set(1.59576912f));
    return gate * (1.0f + steep * (1.0f - gate));
}
static double gelu_tanh_ref(double x, numbers k) {
    (void)k;
    return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}
ROWS_OF(gelu_tanh)

/* --------------------------------------------------------------------------------------------------------- erf */

static inline vf erf_value(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return 2.0f * normal_below(x * 1.41421356f, vf_exp(-(x * x))) - 1.0f;
}
static inline vf erf_slope(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return 1.12837917f * vf_exp(-(x * x));
}
static double erf_ref(double x, numbers k) {
    (void)k;
    return erf(x);
}
ROWS_OF(erf)

/* ----------------------------------------------------------------------------------------------- elu, softplus */

static inline vf elu_value(vf x, vf alpha, vf unused) {
    (void)unused;
    return vf_select(x < (vf){0}, alpha * (vf_exp(x) - 1.0f), x);
}
static inline vf elu_slope(vf x, vf alpha, vf unused) {
    (void)unused;
    return vf_select(x > (vf){0}, vf_set(1), alpha * vf_exp(x));
}
static double elu_ref(double x, numbers k) { return x >= 0 ? x : k.a * expm1(x); }
static numbers elu_numbers(const void *config) { return (numbers){.a = ((const tips_elu *)config)->alpha}; }
ROWS_OF(elu)

/* log(1 + e) for e in 0..1: twice the area tangent of z = e / (2 + e), which is at most 1/3. */
static inline vf log_one_plus(vf e) {
    const vf z = e / (e + 2.0f), square = z * z;
    vf p = vf_set(1.0f / 15);
    for (int odd = 13; odd > 0; odd -= 2) p = vf_fma(p, square, vf_set(1.0f / (float)odd));
    return 2.0f * z * p;
}

static inline vf softplus_value(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return vf_relu(x) + log_one_plus(vf_exp(-vf_abs(x)));
}
static inline vf softplus_slope(vf x, vf unused, vf unused_too) {
    (void)unused, (void)unused_too;
    return 1.0f / one_plus_exp_minus(x);
}
static double softplus_ref(double x, numbers k) {
    (void)k;
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}
ROWS_OF(softplus)

/* ------------------------------------------------------------------------------------------------------ tables */

const tips_pointwise TIPS_ROW(tips__pointwise)[] = {
    {&tips__layer_clip, true, clip_numbers, clip_forward, NULL, clip_backward, clip_ref},
    {&tips__layer_leaky_relu, false, leaky_relu_numbers, leaky_relu_forward, NULL, leaky_relu_backward,
     leaky_relu_ref},
    {&tips__layer_sigmoid, true, NULL, sigmoid_forward, sigmoid_gated, sigmoid_backward, sigmoid_ref},
    {&tips__layer_hard_sigmoid, true, hard_sigmoid_numbers, hard_sigmoid_forward, NULL,
     hard_sigmoid_backward, hard_sigmoid_ref},
    {&tips__layer_hard_swish, false, NULL, hard_swish_forward, NULL, hard_swish_backward, hard_swish_ref},
    {&tips__layer_silu, false, NULL, silu_forward, NULL, silu_backward, silu_ref},
    {&tips__layer_tanh, true, NULL, tanh_forward, NULL, tanh_backward, tanh_ref},
    {&tips__layer_gelu, false, NULL, gelu_forward, NULL, gelu_backward, gelu_ref},
    {&tips__layer_gelu_tanh, false, NULL, gelu_tanh_forward, NULL, gelu_tanh_backward, gelu_tanh_ref},
    {&tips__layer_erf, false, NULL, erf_forward, NULL, erf_backward, erf_ref},
    {&tips__layer_elu, false, elu_numbers, elu_forward, NULL, elu_backward, elu_ref},
    {&tips__layer_softplus, false, NULL, softplus_forward, NULL, softplus_backward, softplus_ref},
    {0},
};

static const tips_option clip_options[] = {
    {.name = "min", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_clip, min), .fallback = "-inf", .min = -INFINITY,
     .max = INFINITY, .help = "smallest output"},
    {.name = "max", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_clip, max), .fallback = "inf", .min = -INFINITY,
     .max = INFINITY, .help = "largest output, also where min is larger"},
    {.type = TIPS_OPT_END},
};

static const tips_option leaky_relu_options[] = {
    {.name = "alpha", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_leaky_relu, alpha), .fallback = "0.01",
     .help = "slope below zero"},
    {.type = TIPS_OPT_END},
};

static const tips_option elu_options[] = {
    {.name = "alpha", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_elu, alpha), .fallback = "1",
     .help = "how far below zero it may go"},
    {.type = TIPS_OPT_END},
};

static const tips_option hard_sigmoid_options[] = {
    {.name = "alpha", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_hard_sigmoid, alpha), .fallback = "0.2",
     .help = "slope between 0 and 1"},
    {.name = "beta", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_hard_sigmoid, beta), .fallback = "0.5",
     .help = "value at zero"},
    {.type = TIPS_OPT_END},
};

#define POINTWISE                                                                                  \
    .flags = TIPS_LAYER_STRIDED_OUT, .shape = tips__pointwise_shape, .plan = tips__pointwise_plan, \
    .forward = tips__pointwise_forward, .backward = tips__pointwise_backward, .ref = tips__pointwise_ref

const tips_layer TIPS_ROW(tips__layer_clip) = {
    .name = "clip",
    .brief = "min(max(x, lower), upper); with 0 and 6 it is ReLU6",
    .options = clip_options,
    .config_size = sizeof(tips_clip),
    .emit = tips__clip_emit,
    POINTWISE,
};
const tips_layer TIPS_ROW(tips__layer_leaky_relu) = {
    .name = "leaky_relu",
    .brief = "x, or alpha x below zero",
    .options = leaky_relu_options,
    .config_size = sizeof(tips_leaky_relu),
    .emit = tips__leaky_relu_emit,
    POINTWISE,
};
const tips_layer TIPS_ROW(tips__layer_sigmoid) = {
    .name = "sigmoid", .brief = "1 / (1 + exp(-x))", .emit = tips__sigmoid_emit, POINTWISE};
const tips_layer TIPS_ROW(tips__layer_hard_sigmoid) = {
    .name = "hard_sigmoid",
    .brief = "max(0, min(1, alpha x + beta))",
    .options = hard_sigmoid_options,
    .config_size = sizeof(tips_hard_sigmoid),
    .emit = tips__hard_sigmoid_emit,
    POINTWISE,
};
const tips_layer TIPS_ROW(tips__layer_hard_swish) = {
    .name = "hard_swish", .brief = "x max(0, min(1, x/6 + 1/2))", .emit = tips__hard_swish_emit, POINTWISE};
const tips_layer TIPS_ROW(tips__layer_silu) = {
    .name = "silu", .brief = "x / (1 + exp(-x)), also called swish", .emit = tips__silu_emit, POINTWISE};
const tips_layer TIPS_ROW(tips__layer_tanh) = {
    .name = "tanh", .brief = "the hyperbolic tangent", .emit = tips__tanh_emit, POINTWISE};
const tips_layer TIPS_ROW(tips__layer_gelu) = {
    .name = "gelu", .brief = "x (1 + erf(x / sqrt 2)) / 2", .emit = tips__gelu_emit, POINTWISE};
const tips_layer TIPS_ROW(tips__layer_gelu_tanh) = {
    .name = "gelu_tanh", .brief = "gelu with tanh in place of erf", .emit = tips__gelu_tanh_emit, POINTWISE};
const tips_layer TIPS_ROW(tips__layer_erf) = {
    .name = "erf", .brief = "the error function", .emit = tips__erf_emit, POINTWISE};
const tips_layer TIPS_ROW(tips__layer_elu) = {
    .name = "elu",
    .brief = "x, or alpha (exp(x) - 1) below zero",
    .options = elu_options,
    .config_size = sizeof(tips_elu),
    .emit = tips__elu_emit,
    POINTWISE,
};
const tips_layer TIPS_ROW(tips__layer_softplus) = {
    .name = "softplus", .brief = "log(1 + exp(x))", .emit = tips__softplus_emit, POINTWISE};
