/* MatMul and Einsum: sums of products over one or several axes. Axes that both tensors have and the result too run
 * beside each other; the rest is a product of matrices for each of those, which is the layer matmul. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"

#include <ctype.h>
#include <string.h>

enum { RANK = TIPS_ONNX_MAX_DIMS, FIRST = 0, SECOND = 1, RESULT = 2 };

/* Axes by letters, as Einsum has them: "bhik,bhjk->bhij". */
typedef struct terms {
    char letters[3][RANK + 1]; /* of both tensors and the result */
} terms;

static const char *find(const char *letters, char letter) { return strchr(letters, letter); }

/* The axes of one tensor that are in another, and not in a third. */
static void take_axes(const terms *t, int of, int with, int without, int *axes, int *n) {
    for (const char *at = t->letters[of]; *at; at++)
        if (find(t->letters[with], *at) && (without < 0 || !find(t->letters[without], *at)))
            axes[(*n)++] = (int)(at - t->letters[of]);
}

/* In the order that they have in the first tensor that they are of. */
static void order_like(const terms *t, int of, int like, int *axes, int n) {
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0; k--) {
            const char *a = find(t->letters[like], t->letters[of][axes[k - 1]]);
            const char *b = find(t->letters[like], t->letters[of][axes[k]]);
            if (a <= b) break;
            const int other = axes[k];
            axes[k] = axes[k - 1];
            axes[k - 1] = other;
        }
}

static int64_t extent_at(const terms *t, const onnx_value *const v[2], char letter) {
    int64_t extent = 1;
    for (int i = 0; i < 2; i++) {
        const char *at = find(t->letters[i], letter);
        if (at && v[i]->dims[at - t->letters[i]] > extent) extent = v[i]->dims[at - t->letters[i]];
    }
    return extent;
}

/* What is summed over as channels, what the tensor has alone as columns, or, `turned`, the other way round. */
static onnx_groups factor_groups(const terms *t, int of, bool turned) {
    onnx_groups g = {.n = {0}};
    const int other = 1 - of, sums = turned ? 2 : 0, own = turned ? 0 : 2;
    take_axes(t, of, other, RESULT, g.axis[sums], &g.n[sums]);
    take_axes(t, of, other, -1, g.axis[1], &g.n[1]);
    int n = 0;
    for (int i = 0; i < g.n[1]; i++)
        if (find(t->letters[RESULT], t->letters[of][g.axis[1][i]])) g.axis[1][n++] = g.axis[1][i];
    g.n[1] = n;
    take_axes(t, of, RESULT, other, g.axis[own], &g.n[own]);
    order_like(t, of, FIRST, g.axis[1], g.n[1]);
    order_like(t, of, FIRST, g.axis[sums], g.n[sums]);
    return g;
}

static onnx_groups result_groups(const terms *t) {
    onnx_groups g = {.n = {0}};
    take_axes(t, RESULT, SECOND, FIRST, g.axis[0], &g.n[0]);
    take_axes(t, RESULT, FIRST, SECOND, g.axis[2], &g.n[2]);
    for (const char *at = t->letters[RESULT]; *at; at++)
        if (find(t->letters[FIRST], *at) && find(t->letters[SECOND], *at))
            g.axis[1][g.n[1]++] = (int)(at - t->letters[RESULT]);
    order_like(t, RESULT, SECOND, g.axis[0], g.n[0]);
    order_like(t, RESULT, FIRST, g.axis[1], g.n[1]);
    order_like(t, RESULT, FIRST, g.axis[2], g.n[2]);
    return g;
}

/* Axes that run beside each other are as long, or those of one tensor are all 1; what is summed over is as long. */
static tips_status check_terms(const terms *t, const onnx_value *const v[2]) {
    int64_t beside[2] = {1, 1};
    bool differs = false;
    for (const char *at = t->letters[FIRST]; *at; at++) {
        const char *other = find(t->letters[SECOND], *at);
        const bool is_result = find(t->letters[RESULT], *at) != NULL;
        if (!other && !is_result) TIPS_FAIL(TIPS_UNSUPPORTED, "it sums over an axis that one input has alone");
        if (!other) continue;
        const int64_t a = v[0]->dims[at - t->letters[FIRST]], b = v[1]->dims[other - t->letters[SECOND]];
        if (a != b && (!is_result || (a != 1 && b != 1)))
            TIPS_FAIL(TIPS_FORMAT, "axes of %lld and %lld elements do not fit", (long long)a, (long long)b);
        if (is_result) beside[0] *= a, beside[1] *= b, differs = differs || a != b;
    }
    for (const char *at = t->letters[SECOND]; *at; at++)
        if (!find(t->letters[FIRST], *at) && !find(t->letters[RESULT], *at))
            TIPS_FAIL(TIPS_UNSUPPORTED, "it sums over an axis that one input has alone");
    if (differs && beside[0] != 1 && beside[1] != 1)
        TIPS_FAIL(TIPS_UNSUPPORTED, "each input is spread over axes of the other, which is not supported");
    return TIPS_OK;
}

/* Which of two ways costs no steps, or fewer: as a rule, what lies outermost already are the channels. */
static bool is_turned(const onnx_value *v, const onnx_groups *plain) {
    const int sums = plain->n[2] ? plain->axis[2][0] : ONNX_NONE, own = plain->n[0] ? plain->axis[0][0] : ONNX_NONE;
    if (sums == ONNX_NONE || own == ONNX_NONE) return own == ONNX_NONE;
    return v->strides[sums] > v->strides[own];
}

static tips_status multiply(onnx_importer *im, const terms *t, onnx_value *a, onnx_value *b) {
    onnx_value x = *a, y = *b, seen = {.batch = ONNX_NONE}, *out = tips__onnx_out(im, 0);
    const onnx_value *const both[2] = {&x, &y};
    onnx_groups g[2] = {factor_groups(t, FIRST, false), factor_groups(t, SECOND, true)};
    const tips_matmul_config config = {.turned = is_turned(&y, &g[1])};
    char name[ONNX_NAME];
    if (config.turned) g[1] = factor_groups(t, SECOND, false);
    TIPS_TRY(check_terms(t, both));
    TIPS_TRY(tips__onnx_group(im, &x, &g[0]));
    TIPS_TRY(tips__onnx_group(im, &y, &g[1]));
    seen.n_dims = (int)strlen(t->letters[RESULT]);
    for (int i = 0; i < seen.n_dims; i++) seen.dims[i] = extent_at(t, both, t->letters[RESULT][i]);
    const char *batch = a->batch == ONNX_NONE ? NULL : find(t->letters[RESULT], t->letters[FIRST][a->batch]);
    if (batch) seen.batch = (int)(batch - t->letters[RESULT]);
    const onnx_value *in[] = {&x, &y};
    const onnx_groups made = result_groups(t);
    tips__onnx_step_name(im, ONNX_NONE, name);
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_matmul, name, &config, in, 2, out));
    tips__onnx_look_grouped(out, &seen, &made);
    return TIPS_OK;
}

/* (..., i, k) by (..., k, j), n axes each: letters from "d" on for those beside. */
static terms matmul_terms(int n) {
    terms t = {{""}};
    for (int part = 0; part < 3; part++) {
        static const char *const ends[] = {"ab", "bc", "ac"};
        for (int i = 0; i < n - 2; i++) t.letters[part][i] = (char)('d' + i);
        memcpy(t.letters[part] + n - 2, ends[part], 2);
    }
    return t;
}

/* A matrix of weights, with axes of extent 1 in front at most. */
static bool is_matrix(const onnx_tensor *t) {
    if (!t || !t->floats || t->n_dims < 2) return false;
    for (int i = 0; i < t->n_dims - 2; i++)
        if (t->dims[i] != 1) return false;
    return true;
}

static onnx_tensor as_matrix(const onnx_tensor *t) {
    onnx_tensor m = *t;
    m.n_dims = 2;
    m.dims[0] = t->dims[t->n_dims - 2];
    m.dims[1] = t->dims[t->n_dims - 1];
    return m;
}

tips_status tips__onnx_map_matmul(onnx_importer *im) {
    onnx_value own[2], *a, *b;
    const onnx_value *x = tips__onnx_in(im, 0);
    const onnx_tensor *constant = tips__onnx_const(im, 1);
    if (!x || !tips__onnx_in(im, 1)) TIPS_FAIL(TIPS_FORMAT, "it needs two inputs");
    if (is_matrix(constant) && x->kind == ONNX_MAP && x->n_dims >= constant->n_dims) {
        const onnx_tensor matrix = as_matrix(constant);
        return tips__onnx_add_weights(im, tips__onnx_in(im, 0), &matrix, false);
    }
    TIPS_TRY(tips__onnx_any_map(im, 0, &own[0], &a));
    TIPS_TRY(tips__onnx_any_map(im, 1, &own[1], &b));
    if (a->n_dims < 2 || b->n_dims < 2)
        TIPS_FAIL(TIPS_UNSUPPORTED, "a product of tensors of %d and %d dimensions is not supported", a->n_dims,
                  b->n_dims);
    /* What one tensor has beside the other is spread over it: it becomes an axis of both. */
    onnx_value first = *a, second = *b;
    const int n = a->n_dims > b->n_dims ? a->n_dims : b->n_dims;
    tips__onnx_add_axes(&first, n);
    tips__onnx_add_axes(&second, n);
    const terms t = matmul_terms(n);
    return multiply(im, &t, &first, &second);
}

/* Letters as the equation has them, less the spaces. */
static tips_status read_terms(const char *equation, const int n_dims[2], terms *t) {
    const char *at = equation;
    *t = (terms){{""}};
    for (int part = 0; part < 3; part++) {
        int n = 0;
        for (; *at && *at != ',' && *at != '-'; at++) {
            if (*at == ' ') continue;
            if (!isalpha((unsigned char)*at) || n == RANK || find(t->letters[part], *at))
                TIPS_FAIL(TIPS_UNSUPPORTED, "the equation '%s' is not supported: letters, each once, are", equation);
            t->letters[part][n++] = *at;
        }
        if (part < 2 && n != n_dims[part])
            TIPS_FAIL(TIPS_FORMAT, "the equation '%s' does not fit a tensor of %d dimensions", equation, n_dims[part]);
        const char *joint = part == 0 ? "," : "->";
        if (part < 2 && strncmp(at, joint, strlen(joint)) != 0)
            TIPS_FAIL(TIPS_UNSUPPORTED, "the equation '%s' is not supported: it needs two inputs and '->'", equation);
        if (part < 2) at += strlen(joint);
    }
    for (const char *letter = t->letters[RESULT]; *letter; letter++)
        if (!find(t->letters[FIRST], *letter) && !find(t->letters[SECOND], *letter))
            TIPS_FAIL(TIPS_FORMAT, "the equation '%s' has an axis that no input has", equation);
    return *at ? tips__fail(TIPS_UNSUPPORTED, "the equation '%s' is not supported", equation) : TIPS_OK;
}

tips_status tips__onnx_map_einsum(onnx_importer *im) {
    char equation[128] = "";
    onnx_value own[2], *v[2];
    terms t;
    TIPS_TRY(tips__onnx_text(im->node->proto, "equation", equation, sizeof equation));
    if (im->node->n_in != 2) TIPS_FAIL(TIPS_UNSUPPORTED, "an equation of %d inputs is not supported", im->node->n_in);
    for (int i = 0; i < 2; i++) TIPS_TRY(tips__onnx_any_map(im, i, &own[i], &v[i]));
    TIPS_TRY(read_terms(equation, (const int[]){v[0]->n_dims, v[1]->n_dims}, &t));
    return multiply(im, &t, v[0], v[1]);
}
