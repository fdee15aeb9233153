/* Products: of matrices, and what else the heads of detectors do to as many boxes as were proposed. */
#include "dynamic/dynamic_parts.h"

#include "core/threads.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 64, DEPTH = 256, ROWS = 4 };

/* c (rows, COLUMNS at most) += a (rows, depth) b (depth, columns), a few rows at a time so that b is read less often.
 */
static void multiply_block(const float *a, size_t a_stride, const float *b, size_t b_stride, size_t rows, size_t depth,
                           size_t columns, float *c, size_t c_stride) {
    for (size_t i = 0; i < rows; i += ROWS) {
        const size_t height = rows - i < ROWS ? rows - i : ROWS;
        for (size_t k = 0; k < depth; k++)
            for (size_t h = 0; h < height; h++) {
                const float x = a[(i + h) * a_stride + k];
                float *to = c + (i + h) * c_stride;
                for (size_t j = 0; j < columns; j++) to[j] += x * b[k * b_stride + j];
            }
    }
}

/* c (m, n) = a (m, k) b (k, n); each element is a sum in the order of k, whoever computes it. */
static tips_status multiply(const float *a, const float *b, size_t m, size_t k, size_t n, float *c) {
    const double work = (double)m * (double)k * (double)n;
    if (work > 0x1p42) TIPS_FAIL(TIPS_RANGE, "a product of %g multiplications", work);
    if (m > 0 && n > 0) memset(c, 0, m * n * sizeof *c);
    const int blocks = (int)((n + COLUMNS - 1) / COLUMNS);
    TIPS_PARALLEL_FOR (block, blocks) {
        const size_t first = (size_t)block * COLUMNS, columns = n - first < COLUMNS ? n - first : COLUMNS;
        for (size_t from = 0; from < k; from += DEPTH)
            multiply_block(a + from, k, b + from * n + first, n, m, k - from < DEPTH ? k - from : DEPTH, columns,
                           c + first, n);
    }
    return TIPS_OK;
}

/* x (rows, columns) as (columns, rows). */
static tips_status transposed(const float *x, size_t rows, size_t columns, float **out) {
    float *y;
    TIPS_TRY(tips__new(&y, rows * columns * sizeof *y, "a matrix"));
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) y[j * rows + i] = x[i * columns + j];
    *out = y;
    return TIPS_OK;
}

static tips_status add_scaled(dynamic_run *r, double alpha, double beta, tips_array *y) {
    const tips_array *c = NULL;
    dynamic_walk walk = {.n_dims = 2, .n = 1};
    int n_dims;
    if (tips__dynamic_in(r, 2)) {
        TIPS_TRY(tips__dynamic_floats(r, 2, &c));
        TIPS_TRY(tips__dynamic_spread((const tips_array *const[]){y, c}, 2, &n_dims, walk.dims));
        if (n_dims != 2 || walk.dims[0] != y->dims[0] || walk.dims[1] != y->dims[1])
            TIPS_FAIL(TIPS_SHAPE, "its third input does not fit the product");
        tips__dynamic_strides(c, 2, walk.dims, walk.strides[0]);
    }
    for (size_t i = 0; i < y->count; i++) {
        if (alpha != 1) y->floats[i] *= (float)alpha;
        if (!c) continue;
        y->floats[i] += (float)beta * c->floats[walk.at[0]];
        tips__dynamic_next(&walk);
    }
    return TIPS_OK;
}

tips_status tips__dynamic_gemm(dynamic_run *r) {
    const bool turn_a = tips__dynamic_int(r, "transA", 0) != 0, turn_b = tips__dynamic_int(r, "transB", 0) != 0;
    const tips_array *a, *b;
    float *own_a = NULL, *own_b = NULL;
    tips_array *y;
    TIPS_TRY(tips__dynamic_floats(r, 0, &a));
    TIPS_TRY(tips__dynamic_floats(r, 1, &b));
    if (a->n_dims != 2 || b->n_dims != 2) TIPS_FAIL(TIPS_FORMAT, "its inputs are no matrices");
    const int64_t m = a->dims[turn_a], k = a->dims[!turn_a], n = b->dims[!turn_b];
    if (b->dims[turn_b] != k)
        TIPS_FAIL(TIPS_SHAPE, "its matrices do not fit: %lld and %lld", (long long)k, (long long)b->dims[turn_b]);
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_FLOAT, 2, (const int64_t[]){m, n}, &y));
    tips_status status = turn_a ? transposed(a->floats, (size_t)k, (size_t)m, &own_a) : TIPS_OK;
    if (status == TIPS_OK && turn_b) status = transposed(b->floats, (size_t)n, (size_t)k, &own_b);
    if (status == TIPS_OK)
        status =
            multiply(own_a ? own_a : a->floats, own_b ? own_b : b->floats, (size_t)m, (size_t)k, (size_t)n, y->floats);
    tips__free(own_a);
    tips__free(own_b);
    TIPS_TRY(status);
    return add_scaled(r, tips__dynamic_float(r, "alpha", 1), tips__dynamic_float(r, "beta", 1), y);
}

/* Matrices in the last two axes; those before are spread over each other. A vector has an axis too few, which the
 * result then lacks. */
tips_status tips__dynamic_matmul(dynamic_run *r) {
    const tips_array *in[2];
    tips_array m[2], *y;
    dynamic_walk walk = {.n = 2};
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    size_t count;
    int n = 0;
    for (int k = 0; k < 2; k++) {
        TIPS_TRY(tips__dynamic_floats(r, k, &in[k]));
        m[k] = *in[k];
        if (m[k].n_dims == 0) TIPS_FAIL(TIPS_FORMAT, "its input %d is a single number", k);
        if (m[k].n_dims > 1) continue;
        m[k].n_dims = 2;
        m[k].dims[!k] = m[k].dims[0];
        m[k].dims[k] = 1;
    }
    const int64_t rows = m[0].dims[m[0].n_dims - 2], depth = m[0].dims[m[0].n_dims - 1];
    const int64_t columns = m[1].dims[m[1].n_dims - 1];
    if (m[1].dims[m[1].n_dims - 2] != depth) TIPS_FAIL(TIPS_SHAPE, "its matrices do not fit together");
    tips_array outer[2] = {m[0], m[1]};
    for (int k = 0; k < 2; k++) outer[k].n_dims -= 2;
    TIPS_TRY(tips__dynamic_spread((const tips_array *const[]){&outer[0], &outer[1]}, 2, &walk.n_dims, walk.dims));
    for (int k = 0; k < 2; k++) tips__dynamic_strides(&outer[k], walk.n_dims, walk.dims, walk.strides[k]);
    for (; n < walk.n_dims; n++) dims[n] = walk.dims[n];
    TIPS_TRY(tips__array_count(n, dims, &count));
    if (in[0]->n_dims > 1) dims[n++] = rows;
    if (in[1]->n_dims > 1) dims[n++] = columns;
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_FLOAT, n, dims, &y));
    for (size_t i = 0; i < count && y->count; i++, tips__dynamic_next(&walk))
        TIPS_TRY(multiply(in[0]->floats + walk.at[0] * (size_t)(rows * depth),
                          in[1]->floats + walk.at[1] * (size_t)(depth * columns), (size_t)rows, (size_t)depth,
                          (size_t)columns, y->floats + i * (size_t)(rows * columns)));
    return TIPS_OK;
}

typedef struct windows {
    int64_t size[2], kernel[2], stride[2], pad[4], dilation[2], out[2];
} windows;

static tips_status read_windows(dynamic_run *r, const tips_array *x, const tips_array *w, windows *out) {
    windows v = {.stride = {1, 1}, .dilation = {1, 1}};
    const struct {
        const char *name;
        int count;
        int64_t *to;
    } lists[] = {{"strides", 2, v.stride}, {"dilations", 2, v.dilation}, {"pads", 4, v.pad}};
    if (x->n_dims != 4 || w->n_dims != 4 || tips__dynamic_int(r, "group", 1) != 1 || w->dims[1] != x->dims[1])
        TIPS_FAIL(TIPS_UNSUPPORTED, "behind boxes only plain convolutions of maps are supported");
    if (strcmp(tips__dynamic_text(r, "auto_pad", "NOTSET"), "NOTSET") != 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "behind boxes its padding must be in numbers");
    for (int i = 0; i < 3; i++) {
        const int64_t *numbers;
        int count;
        TIPS_TRY(tips__dynamic_list(r, lists[i].name, -1, &numbers, &count));
        if (count < 0) continue;
        if (count != lists[i].count) TIPS_FAIL(TIPS_FORMAT, "it has %d %s", count, lists[i].name);
        for (int k = 0; k < count; k++) {
            if (numbers[k] < (i < 2) || numbers[k] > 1 << 16)
                TIPS_FAIL(TIPS_RANGE, "its %s hold %lld", lists[i].name, (long long)numbers[k]);
            lists[i].to[k] = numbers[k];
        }
    }
    for (int i = 0; i < 2; i++) {
        v.size[i] = x->dims[2 + i];
        v.kernel[i] = w->dims[2 + i];
        const int64_t room = v.size[i] + v.pad[i] + v.pad[i + 2] - v.dilation[i] * (v.kernel[i] - 1) - 1;
        if (room < 0) TIPS_FAIL(TIPS_SHAPE, "its kernel is larger than its input");
        v.out[i] = room / v.stride[i] + 1;
    }
    *out = v;
    return TIPS_OK;
}

/* The windows of a sample as columns (c kernel, out). */
static void unfold(const float *x, int64_t channels, const windows *v, float *columns) {
    for (int64_t c = 0; c < channels; c++)
        for (int64_t k = 0; k < v->kernel[0] * v->kernel[1]; k++)
            for (int64_t i = 0; i < v->out[0]; i++)
                for (int64_t j = 0; j < v->out[1]; j++) {
                    const int64_t y = i * v->stride[0] - v->pad[0] + k / v->kernel[1] * v->dilation[0];
                    const int64_t z = j * v->stride[1] - v->pad[1] + k % v->kernel[1] * v->dilation[1];
                    const bool inside = y >= 0 && y < v->size[0] && z >= 0 && z < v->size[1];
                    *columns++ = inside ? x[(c * v->size[0] + y) * v->size[1] + z] : 0;
                }
}

static tips_status convolve(const tips_array *x, const tips_array *w, const tips_array *bias, const windows *v,
                            float *columns, tips_array *y) {
    const size_t places = (size_t)(v->out[0] * v->out[1]), features = (size_t)w->dims[0];
    const size_t depth = (size_t)(w->dims[1] * v->kernel[0] * v->kernel[1]);
    const size_t sample = (size_t)(x->dims[1] * v->size[0] * v->size[1]);
    for (size_t n = 0; n < (size_t)x->dims[0]; n++) {
        float *to = y->floats + n * features * places;
        unfold(x->floats + n * sample, x->dims[1], v, columns);
        TIPS_TRY(multiply(w->floats, columns, features, depth, places, to));
        for (size_t i = 0; bias && i < features * places; i++) to[i] += bias->floats[i / places];
    }
    return TIPS_OK;
}

tips_status tips__dynamic_conv(dynamic_run *r) {
    const tips_array *x, *w, *bias = NULL;
    windows v = {0};
    tips_array columns, *y;
    TIPS_TRY(tips__dynamic_floats(r, 0, &x));
    TIPS_TRY(tips__dynamic_floats(r, 1, &w));
    if (tips__dynamic_in(r, 2)) TIPS_TRY(tips__dynamic_floats(r, 2, &bias));
    TIPS_TRY(read_windows(r, x, w, &v));
    if (bias && bias->count != (size_t)w->dims[0]) TIPS_FAIL(TIPS_SHAPE, "its bias has %zu elements", bias->count);
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_FLOAT, 4, (const int64_t[]){x->dims[0], w->dims[0], v.out[0], v.out[1]},
                               &y));
    TIPS_TRY(tips__array_create(
        TIPS_ARRAY_FLOAT, 4, (const int64_t[]){w->dims[1], v.kernel[0] * v.kernel[1], v.out[0], v.out[1]}, &columns));
    const tips_status status = convolve(x, w, bias, &v, columns.floats, y);
    tips__array_free(&columns);
    return status;
}

tips_status tips__dynamic_batch_norm(dynamic_run *r) {
    const double eps = tips__dynamic_float(r, "epsilon", 1e-5);
    const tips_array *x, *of[4]; /* scale, bias, mean, variance */
    tips_array *y;
    TIPS_TRY(tips__dynamic_floats(r, 0, &x));
    if (x->n_dims < 2) TIPS_FAIL(TIPS_FORMAT, "its input has %d axes", x->n_dims);
    const dynamic_split s = tips__dynamic_split_of(x, 1);
    for (int k = 0; k < 4; k++) {
        TIPS_TRY(tips__dynamic_floats(r, 1 + k, &of[k]));
        if (of[k]->count != s.extent) TIPS_FAIL(TIPS_SHAPE, "its input %d has %zu elements", 1 + k, of[k]->count);
    }
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_FLOAT, x->n_dims, x->dims, &y));
    for (size_t i = 0; i < x->count; i++) {
        const size_t c = i / s.inner % s.extent;
        const double scale = (double)of[0]->floats[c] / sqrt((double)of[3]->floats[c] + eps);
        y->floats[i] = (float)(((double)x->floats[i] - (double)of[2]->floats[c]) * scale + (double)of[1]->floats[c]);
    }
    return TIPS_OK;
}

tips_status tips__dynamic_global_average(dynamic_run *r) {
    const tips_array *x;
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    size_t area = 1;
    tips_array *y;
    TIPS_TRY(tips__dynamic_floats(r, 0, &x));
    if (x->n_dims < 3) TIPS_FAIL(TIPS_FORMAT, "its input has %d axes", x->n_dims);
    for (int i = 0; i < x->n_dims; i++) {
        dims[i] = i < 2 ? x->dims[i] : 1;
        if (i >= 2) area *= (size_t)x->dims[i];
    }
    if (area == 0) TIPS_FAIL(TIPS_SHAPE, "its input has no pixels");
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_FLOAT, x->n_dims, dims, &y));
    for (size_t i = 0; i < y->count; i++) {
        double sum = 0;
        for (size_t k = 0; k < area; k++) sum += (double)x->floats[i * area + k];
        y->floats[i] = (float)(sum / (double)area);
    }
    return TIPS_OK;
}
