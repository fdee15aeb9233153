/* What an operator asks of its node: attributes, numbers among its inputs, axes, and places in arrays. */
#include "dynamic/dynamic_parts.h"

#include <string.h>

static const dynamic_operator operators[] = {
#define DYNAMIC(op, least, most, outs, function) {#op, least, most, outs, tips__dynamic_##function},
#include "dynamic_ops.def"
#undef DYNAMIC
};

const dynamic_operator *tips__dynamic_find(const char *name) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(operators[i].name, name) == 0) return &operators[i];
    return NULL;
}

bool tips__program_knows(const char *operator_name) { return tips__dynamic_find(operator_name) != NULL; }

tips_status tips__dynamic_floats(const dynamic_run *r, int i, const tips_array **out) {
    const tips_array *a = tips__dynamic_in(r, i);
    if (!a) TIPS_FAIL(TIPS_FORMAT, "its input %d is missing", i);
    if (a->type != TIPS_ARRAY_FLOAT)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its input %d is of type %s; floating-point numbers are needed", i,
                  tips__array_type_names[a->type]);
    *out = a;
    return TIPS_OK;
}

tips_status tips__dynamic_ints(const dynamic_run *r, int i, const tips_array **out) {
    const tips_array *a = tips__dynamic_in(r, i);
    if (!a) TIPS_FAIL(TIPS_FORMAT, "its input %d is missing", i);
    if (a->type == TIPS_ARRAY_FLOAT) TIPS_FAIL(TIPS_UNSUPPORTED, "its input %d is not of whole numbers", i);
    *out = a;
    return TIPS_OK;
}

tips_status tips__dynamic_scalar(const dynamic_run *r, int i, double fallback, double *out) {
    const tips_array *a = tips__dynamic_in(r, i);
    *out = fallback;
    if (!a) return TIPS_OK;
    if (a->count != 1) TIPS_FAIL(TIPS_SHAPE, "its input %d has %zu elements; one is needed", i, a->count);
    *out = a->type == TIPS_ARRAY_FLOAT ? (double)a->floats[0] : (double)a->ints[0];
    return TIPS_OK;
}

tips_status tips__dynamic_whole(const dynamic_run *r, int i, int64_t fallback, int64_t *out) {
    const tips_array *a;
    *out = fallback;
    if (!tips__dynamic_in(r, i)) return TIPS_OK;
    TIPS_TRY(tips__dynamic_ints(r, i, &a));
    if (a->count != 1) TIPS_FAIL(TIPS_SHAPE, "its input %d has %zu elements; one is needed", i, a->count);
    *out = a->ints[0];
    return TIPS_OK;
}

const dynamic_attribute *tips__dynamic_attribute(const dynamic_run *r, const char *name) {
    for (int i = 0; i < r->node->n_attributes; i++)
        if (strcmp(r->node->attributes[i].name, name) == 0) return &r->node->attributes[i];
    return NULL;
}

int64_t tips__dynamic_int(const dynamic_run *r, const char *name, int64_t fallback) {
    const dynamic_attribute *a = tips__dynamic_attribute(r, name);
    return a && a->kind == DYNAMIC_INTS && a->count > 0 ? a->ints[0] : fallback;
}

double tips__dynamic_float(const dynamic_run *r, const char *name, double fallback) {
    const dynamic_attribute *a = tips__dynamic_attribute(r, name);
    return a && a->kind == DYNAMIC_FLOATS && a->count > 0 ? (double)a->floats[0] : fallback;
}

const char *tips__dynamic_text(const dynamic_run *r, const char *name, const char *fallback) {
    const dynamic_attribute *a = tips__dynamic_attribute(r, name);
    return a && a->kind == DYNAMIC_TEXT ? a->text : fallback;
}

tips_status tips__dynamic_list(const dynamic_run *r, const char *name, int i, const int64_t **out, int *count) {
    const dynamic_attribute *attribute = tips__dynamic_attribute(r, name);
    const tips_array *a;
    *count = -1;
    if (attribute && attribute->kind == DYNAMIC_INTS) {
        *out = attribute->ints;
        *count = attribute->count;
        return TIPS_OK;
    }
    if (i < 0 || !tips__dynamic_in(r, i)) return TIPS_OK;
    TIPS_TRY(tips__dynamic_ints(r, i, &a));
    if (a->n_dims > 1 || a->count > TIPS_ARRAY_MOST_DIMS * 2)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its %s are not a short list", name);
    *out = a->ints;
    *count = (int)a->count;
    return TIPS_OK;
}

tips_status tips__dynamic_axis(int64_t axis, int n_dims, int *out) {
    if (axis < -n_dims || axis >= n_dims)
        TIPS_FAIL(TIPS_FORMAT, "there is no axis %lld in an array of %d dimensions", (long long)axis, n_dims);
    *out = (int)(axis < 0 ? axis + n_dims : axis);
    return TIPS_OK;
}

dynamic_split tips__dynamic_split_of(const tips_array *a, int axis) {
    dynamic_split s = {.axis = axis, .outer = 1, .extent = 1, .inner = 1};
    for (int i = 0; i < a->n_dims; i++) {
        size_t *to = i < axis ? &s.outer : i == axis ? &s.extent : &s.inner;
        *to *= (size_t)a->dims[i];
    }
    return s;
}

void tips__dynamic_strides(const tips_array *a, int n_dims, const int64_t *dims, size_t *strides) {
    size_t stride = 1;
    for (int i = n_dims - 1; i >= 0; i--) {
        const int own = i - (n_dims - a->n_dims);
        strides[i] = own < 0 || (a->dims[own] == 1 && dims[i] != 1) ? 0 : stride;
        if (own >= 0) stride *= (size_t)a->dims[own];
    }
}

tips_status tips__dynamic_spread(const tips_array *const *in, int n_in, int *n_dims,
                                 int64_t dims[TIPS_ARRAY_MOST_DIMS]) {
    *n_dims = 0;
    for (int k = 0; k < n_in; k++)
        if (in[k]->n_dims > *n_dims) *n_dims = in[k]->n_dims;
    for (int i = 0; i < *n_dims; i++) dims[i] = 1;
    for (int k = 0; k < n_in; k++)
        for (int i = 0; i < in[k]->n_dims; i++) {
            int64_t *to = &dims[*n_dims - in[k]->n_dims + i];
            if (in[k]->dims[i] == 1 || in[k]->dims[i] == *to) continue;
            if (*to != 1)
                TIPS_FAIL(TIPS_SHAPE, "extents %lld and %lld of its inputs do not fit together", (long long)*to,
                          (long long)in[k]->dims[i]);
            *to = in[k]->dims[i];
        }
    return TIPS_OK;
}

void tips__dynamic_next(dynamic_walk *w) {
    for (int i = w->n_dims - 1; i >= 0; i--) {
        for (int k = 0; k < w->n; k++) w->at[k] += w->strides[k][i];
        if (++w->index[i] < w->dims[i]) return;
        for (int k = 0; k < w->n; k++) w->at[k] -= (size_t)w->dims[i] * w->strides[k][i];
        w->index[i] = 0;
    }
}
