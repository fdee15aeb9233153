/* Operators along axes: sums, the largest and where they are, softmax. */
#include "dynamic/dynamic_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum reduction { MAX, MEAN, MIN, PROD, SUM, L2 } reduction;
static const char *const reduction_names[] = {"ReduceMax",  "ReduceMean", "ReduceMin",
                                              "ReduceProd", "ReduceSum",  "ReduceL2"};

static double start_of(reduction how) { return how == MAX ? -INFINITY : how == MIN ? INFINITY : how == PROD ? 1 : 0; }

static double reduced(reduction how, double sum, double x) {
    switch (how) {
    case MAX: return isnan(x) || x > sum ? x : sum;
    case MIN: return isnan(x) || x < sum ? x : sum;
    case PROD: return sum * x;
    case L2: return sum + x * x;
    default: return sum + x;
    }
}

static tips_status marked(dynamic_run *r, int n_dims, bool out[TIPS_ARRAY_MOST_DIMS]) {
    const int64_t *axes;
    int count, axis;
    TIPS_TRY(tips__dynamic_list(r, "axes", 1, &axes, &count));
    const bool none = count <= 0 && tips__dynamic_int(r, "noop_with_empty_axes", 0) != 0;
    for (int i = 0; i < n_dims; i++) out[i] = count <= 0 && !none;
    for (int i = 0; i < count; i++) {
        TIPS_TRY(tips__dynamic_axis(axes[i], n_dims, &axis));
        out[axis] = true;
    }
    return TIPS_OK;
}

/* Sums are kept in double, one for each element of the output; whole numbers stay below 2^53 wherever they count. */
static tips_status reduce_into(const tips_array *x, const bool *away, reduction how, tips_array *y, double *sums) {
    dynamic_walk walk = {.n_dims = x->n_dims, .n = 1};
    size_t stride = 1;
    memcpy(walk.dims, x->dims, sizeof walk.dims);
    for (int i = x->n_dims - 1; i >= 0; i--) {
        walk.strides[0][i] = away[i] ? 0 : stride;
        if (!away[i]) stride *= (size_t)x->dims[i];
    }
    for (size_t i = 0; i < y->count; i++) sums[i] = start_of(how);
    for (size_t i = 0; i < x->count; i++, tips__dynamic_next(&walk)) {
        double *sum = &sums[walk.at[0]];
        *sum = reduced(how, *sum, x->floats ? (double)x->floats[i] : (double)x->ints[i]);
    }
    if (x->count == 0 && y->count && (how == MAX || how == MIN))
        TIPS_FAIL(TIPS_SHAPE, "there is no largest or smallest of no elements");
    for (size_t i = 0; i < y->count; i++) {
        if (how == MEAN) sums[i] /= (double)x->count / (double)y->count;
        if (how == L2) sums[i] = sqrt(sums[i]);
        if (y->floats) y->floats[i] = (float)sums[i];
        else y->ints[i] = fabs(sums[i]) < 0x1p62 ? (int64_t)sums[i] : 0;
    }
    return TIPS_OK;
}

tips_status tips__dynamic_reduce(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const bool keep = tips__dynamic_int(r, "keepdims", 1) != 0;
    bool away[TIPS_ARRAY_MOST_DIMS];
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    int how = 0, n = 0;
    tips_array *y;
    double *sums;
    while (strcmp(reduction_names[how], r->node->op->name) != 0) how++;
    TIPS_TRY(marked(r, x->n_dims, away));
    for (int i = 0; i < x->n_dims; i++)
        if (!away[i] || keep) dims[n++] = away[i] ? 1 : x->dims[i];
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, n, dims, &y));
    TIPS_TRY(tips__new(&sums, y->count * sizeof *sums, "sums"));
    const tips_status status = reduce_into(x, away, (reduction)how, y, sums);
    tips__free(sums);
    return status;
}

static double number_at(const tips_array *x, size_t i) { return x->floats ? (double)x->floats[i] : (double)x->ints[i]; }

tips_status tips__dynamic_arg(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const bool most = strcmp(r->node->op->name, "ArgMax") == 0, keep = tips__dynamic_int(r, "keepdims", 1) != 0;
    const bool last = tips__dynamic_int(r, "select_last_index", 0) != 0;
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    tips_array *y;
    int axis, n = 0;
    TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", 0), x->n_dims, &axis));
    if (x->dims[axis] == 0) TIPS_FAIL(TIPS_SHAPE, "there is no largest or smallest of no elements");
    for (int i = 0; i < x->n_dims; i++)
        if (i != axis || keep) dims[n++] = i == axis ? 1 : x->dims[i];
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_INT64, n, dims, &y));
    const dynamic_split s = tips__dynamic_split_of(x, axis);
    for (size_t i = 0; i < s.outer * s.inner; i++) {
        const size_t first = i / s.inner * s.extent * s.inner + i % s.inner;
        size_t best = 0;
        for (size_t k = 1; k < s.extent; k++) {
            const double a = number_at(x, first + k * s.inner), b = number_at(x, first + best * s.inner);
            if ((most ? a > b : a < b) || (last && a == b)) best = k;
        }
        y->ints[i] = (int64_t)best;
    }
    return TIPS_OK;
}

typedef struct ranked {
    double key; /* the larger, the earlier */
    int64_t index;
} ranked;

static int by_rank(const void *a, const void *b) {
    const ranked *p = a, *q = b;
    if (p->key != q->key && !(isnan(p->key) && isnan(q->key))) {
        if (isnan(p->key) || isnan(q->key)) return isnan(p->key) ? -1 : 1;
        return p->key > q->key ? -1 : 1;
    }
    return (p->index > q->index) - (p->index < q->index);
}

static void take_top(const tips_array *x, dynamic_split s, int64_t k, bool largest, ranked *room, tips_array *values,
                     tips_array *indices) {
    for (size_t i = 0; i < s.outer * s.inner; i++) {
        const size_t first = i / s.inner * s.extent * s.inner + i % s.inner;
        const size_t to = i / s.inner * (size_t)k * s.inner + i % s.inner;
        for (size_t e = 0; e < s.extent; e++) {
            const double number = number_at(x, first + e * s.inner);
            room[e] = (ranked){largest ? number : -number, (int64_t)e};
        }
        qsort(room, s.extent, sizeof *room, by_rank);
        for (int64_t e = 0; e < k; e++) {
            const size_t from = first + (size_t)room[e].index * s.inner, at = to + (size_t)e * s.inner;
            if (values && values->floats) values->floats[at] = x->floats[from];
            else if (values) values->ints[at] = x->ints[from];
            if (indices) indices->ints[at] = room[e].index;
        }
    }
}

tips_status tips__dynamic_top_k(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    int64_t dims[TIPS_ARRAY_MOST_DIMS], k;
    tips_array *values = NULL, *indices = NULL;
    ranked *room;
    int axis;
    TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", -1), x->n_dims, &axis));
    TIPS_TRY(tips__dynamic_whole(r, 1, tips__dynamic_int(r, "k", -1), &k));
    if (k < 0 || k > x->dims[axis])
        TIPS_FAIL(TIPS_RANGE, "it asks for the first %lld of %lld", (long long)k, (long long)x->dims[axis]);
    memcpy(dims, x->dims, sizeof dims);
    dims[axis] = k;
    if (tips__dynamic_wants(r, 0)) TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, dims, &values));
    if (tips__dynamic_wants(r, 1)) TIPS_TRY(tips__dynamic_out(r, 1, TIPS_ARRAY_INT64, x->n_dims, dims, &indices));
    TIPS_TRY(tips__new(&room, ((size_t)x->dims[axis] + 1) * sizeof *room, "sorted numbers"));
    take_top(x, tips__dynamic_split_of(x, axis), k, tips__dynamic_int(r, "largest", 1) != 0, room, values, indices);
    tips__free(room);
    return TIPS_OK;
}

static void soften(const float *x, size_t count, size_t stride, bool logs, float *y) {
    float most = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < count; i++) most = x[i * stride] > most ? x[i * stride] : most;
    for (size_t i = 0; i < count; i++) sum += (double)expf(x[i * stride] - most);
    for (size_t i = 0; i < count; i++) {
        const float d = x[i * stride] - most;
        y[i * stride] = logs ? d - (float)log(sum) : (float)((double)expf(d) / sum);
    }
}

/* Before opset 13, over all axes from the named one on. */
tips_status tips__dynamic_softmax(dynamic_run *r) {
    const bool old = r->program->opset < 13, logs = r->node->op->name[0] == 'L';
    const tips_array *x;
    tips_array *y;
    int axis;
    TIPS_TRY(tips__dynamic_floats(r, 0, &x));
    TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", old ? 1 : -1), x->n_dims, &axis));
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, x->dims, &y));
    dynamic_split s = tips__dynamic_split_of(x, axis);
    if (old) s.extent *= s.inner, s.inner = 1;
    for (size_t i = 0; i < s.outer * s.inner; i++) {
        const size_t first = i / s.inner * s.extent * s.inner + i % s.inner;
        soften(x->floats + first, s.extent, s.inner, logs, y->floats + first);
    }
    return TIPS_OK;
}

tips_status tips__dynamic_cumulate(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const bool backwards = tips__dynamic_int(r, "reverse", 0) != 0, without = tips__dynamic_int(r, "exclusive", 0) != 0;
    int64_t wanted;
    tips_array *y;
    int axis;
    TIPS_TRY(tips__dynamic_whole(r, 1, 0, &wanted));
    TIPS_TRY(tips__dynamic_axis(wanted, x->n_dims, &axis));
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, x->dims, &y));
    const dynamic_split s = tips__dynamic_split_of(x, axis);
    for (size_t i = 0; i < s.outer * s.inner; i++) {
        const size_t first = i / s.inner * s.extent * s.inner + i % s.inner;
        float sum = 0;
        uint64_t whole = 0;
        for (size_t k = 0; k < s.extent; k++) {
            const size_t at = first + (backwards ? s.extent - 1 - k : k) * s.inner;
            const float f = x->floats ? x->floats[at] : 0;
            const uint64_t n = x->ints ? (uint64_t)x->ints[at] : 0;
            if (y->floats) y->floats[at] = without ? sum : sum + f;
            else y->ints[at] = (int64_t)(without ? whole : whole + n);
            sum += f;
            whole += n;
        }
    }
    return TIPS_OK;
}
