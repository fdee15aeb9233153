/* Products with constant weights, Gemm's and MatMul's: linear layers, or 1x1 convolutions where there are tokens. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"
#include "core/memory.h"

typedef struct weights {
    int in, out;
    float *matrix; /* (out, in) */
    float *bias;   /* (out), or NULL */
} weights;

static void free_weights(weights *w) {
    tips__free(w->matrix);
    tips__free(w->bias);
}

/* `is_rows`: one row for each output, as we keep it. */
static tips_status read_matrix(const onnx_tensor *b, bool is_rows, double factor, weights *w) {
    if (b->n_dims != 2 || b->elements == 0) TIPS_FAIL(TIPS_UNSUPPORTED, "its weights are not a matrix");
    if (b->dims[0] > 1 << 24 || b->dims[1] > 1 << 24) TIPS_FAIL(TIPS_UNSUPPORTED, "its weights are too large");
    w->out = (int)b->dims[is_rows ? 0 : 1];
    w->in = (int)b->dims[is_rows ? 1 : 0];
    const size_t in = (size_t)w->in, out = (size_t)w->out;
    TIPS_TRY(tips__new(&w->matrix, b->elements * sizeof *w->matrix, "weights"));
    for (size_t o = 0; o < out; o++)
        for (size_t i = 0; i < in; i++)
            w->matrix[o * in + i] = (float)(factor * b->floats[is_rows ? o * in + i : i * out + o]);
    return TIPS_OK;
}

static tips_status read_bias(const onnx_tensor *c, double factor, weights *w) {
    const bool is_row = c->n_dims == 0 || c->dims[c->n_dims - 1] == (int64_t)c->elements;
    if (!is_row || c->n_dims > 2 || (c->elements != 1 && c->elements != (size_t)w->out))
        TIPS_FAIL(TIPS_UNSUPPORTED, "its bias has not one element for each of %d outputs", w->out);
    TIPS_TRY(tips__new(&w->bias, (size_t)w->out * sizeof *w->bias, "a bias"));
    for (int o = 0; o < w->out; o++) w->bias[o] = (float)(factor * c->floats[c->elements == 1 ? 0 : o]);
    return TIPS_OK;
}

static tips_status add_linear(onnx_importer *im, onnx_value *x, const weights *w) {
    const tips_linear config = {.out = w->out, .no_bias = !w->bias};
    const int dims[2] = {w->out, w->in};
    const onnx_layout vector = {{1, ONNX_NONE, ONNX_NONE}};
    const onnx_value *in[] = {x};
    onnx_value *out = tips__onnx_out(im, 0);
    char name[ONNX_NAME];
    TIPS_TRY(tips__onnx_arrange(im, x, vector));
    if (tips__onnx_map_info(im, x)->c != w->in)
        TIPS_FAIL(TIPS_FORMAT, "its weights are for %d inputs, but there are %d", w->in, tips__onnx_map_info(im, x)->c);
    tips__onnx_step_name(im, 1, name);
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_linear, name, &config, in, 1, out));
    tips__onnx_look(im, out, 2, vector);
    TIPS_TRY(tips__onnx_add_tensor(im, out->step, "weight", 2, dims, w->matrix));
    return w->bias ? tips__onnx_add_tensor(im, out->step, "bias", 1, dims, w->bias) : TIPS_OK;
}

/* The last axis is the channels', at every pixel. */
static tips_status add_pixelwise(onnx_importer *im, onnx_value *x, const weights *w) {
    const tips_conv2d config = {.out = w->out, .kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}, .groups = 1,
                                .bias = w->bias != NULL};
    const int dims[4] = {w->out, w->in, 1, 1};
    const onnx_groups g = tips__onnx_with_channels(im, x, x->n_dims - 1, 1);
    const onnx_value *in[] = {x};
    onnx_value *out = tips__onnx_out(im, 0);
    char name[ONNX_NAME];
    TIPS_TRY(tips__onnx_group(im, x, &g));
    if (tips__onnx_map_info(im, x)->c != w->in)
        TIPS_FAIL(TIPS_FORMAT, "its weights are for %d channels, but there are %d", w->in,
                  tips__onnx_map_info(im, x)->c);
    onnx_value seen = *x;
    seen.dims[seen.n_dims - 1] = w->out;
    tips__onnx_step_name(im, 1, name);
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_conv2d, name, &config, in, 1, out));
    onnx_groups after = g;
    if (after.n[0] == 0) after.axis[0][after.n[0]++] = seen.n_dims - 1; /* one channel became several */
    tips__onnx_look_grouped(out, &seen, &after);
    TIPS_TRY(tips__onnx_add_tensor(im, out->step, "weight", 4, dims, w->matrix));
    return w->bias ? tips__onnx_add_tensor(im, out->step, "bias", 1, dims, w->bias) : TIPS_OK;
}

/* A row for each sample is a vector; other rows are tokens. */
static tips_status add_product(onnx_importer *im, onnx_value *x, const weights *w) {
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(tips__onnx_check_batch(x, x->n_dims - 1));
    return x->n_dims == 2 && x->dims[0] == 1 ? add_linear(im, x, w) : add_pixelwise(im, x, w);
}

static tips_status gemm(onnx_importer *im, onnx_value *x, weights *w) {
    const Onnx__NodeProto *proto = im->node->proto;
    const onnx_tensor *b, *c;
    double alpha = 1, beta = 1;
    int64_t trans_a = 0, trans_b = 0;
    TIPS_TRY(tips__onnx_finite(proto, "alpha", &alpha));
    TIPS_TRY(tips__onnx_finite(proto, "beta", &beta));
    TIPS_TRY(tips__onnx_int(proto, "transA", &trans_a));
    TIPS_TRY(tips__onnx_int(proto, "transB", &trans_b));
    if (trans_a) TIPS_FAIL(TIPS_UNSUPPORTED, "transA is not supported: it mixes the samples of a batch");
    if (x->n_dims != 2) TIPS_FAIL(TIPS_FORMAT, "its input has %d dimensions, not 2", x->n_dims);
    TIPS_TRY(tips__onnx_need_floats(im, 1, "weights", &b));
    TIPS_TRY(read_matrix(b, trans_b != 0, alpha, w));
    if (tips__onnx_in(im, 2)) {
        TIPS_TRY(tips__onnx_need_floats(im, 2, "bias", &c));
        TIPS_TRY(read_bias(c, beta, w));
    }
    return add_product(im, x, w);
}

tips_status tips__onnx_map_gemm(onnx_importer *im) {
    onnx_value *x;
    weights w = {0};
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    const tips_status status = gemm(im, x, &w);
    free_weights(&w);
    return status;
}

tips_status tips__onnx_add_weights(onnx_importer *im, onnx_value *x, const onnx_tensor *t, bool is_rows) {
    weights w = {0};
    tips_status status = read_matrix(t, is_rows, 1, &w);
    if (status == TIPS_OK) status = add_product(im, x, &w);
    free_weights(&w);
    return status;
}
