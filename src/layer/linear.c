/* Fully connected layer on vectors: y = W x + b.
 * Backward: dx = W^T dy, dW = sum over samples of dy x^T, db = sum of dy. W is stored [in][out padded]. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"
#include "tensor/matmul.h"

#include <string.h>

enum { WEIGHT, BIAS };

static tips_status shape(tips_graph *graph, tips_node *node) {
    tips_linear *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_vector(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (config->out < 1) TIPS_FAIL(TIPS_RANGE, "layer '%s': %d outputs; at least 1 is needed", node->name, config->out);
    if (config->gain == 0) config->gain = 1;
    tips__node_out(graph, node, tips__map_info(config->out, 1, 1, in.per_sample));
    tips__node_param(graph, node, "weight",
                     (tips_param_spec){.layout = TIPS_MATRIX, .dims = {config->out, in.c}, .n_dims = 2,
                                       .std = config->gain / sqrt(in.c), .trainable = true, .decay = true});
    if (!config->no_bias) {
        tips__node_param(graph, node, "bias",
                         (tips_param_spec){.layout = TIPS_VECTOR, .dims = {config->out}, .n_dims = 1,
                                           .trainable = true, .decay = true});
    }
    return TIPS_OK;
}

static size_t row_floats(const tips_map *map) { return (size_t)map->n * tips__padded(map->c); }

static size_t transposed_floats(const tips_op *op) {
    return (size_t)op->out[0].map.c * tips__padded(op->in[0].map.c);
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const size_t rows = row_floats(&op->in[0].map) + row_floats(&op->out[0].map);
    plan->forward_scratch = rows * sizeof(float);
    plan->backward_scratch = (rows + row_floats(&op->in[0].map) + transposed_floats(op)) * sizeof(float);
    plan->keep_in = op->dparam[WEIGHT] != NULL;
    return TIPS_OK;
}

/* A map of one pixel as a matrix (n, padded c): in place where its blocks are neighbours, else in `spare`. */
typedef struct row_matrix {
    float *data;
    ptrdiff_t row;
} row_matrix;

static row_matrix rows_of(const tips_map *map, float *spare, bool load) {
    if (map->blocks == 1 || map->sb == TIPS_BLOCK) return (row_matrix){map->data, map->sn};
    const row_matrix rows = {spare, tips__padded(map->c)};
    for (int n = 0; load && n < map->n; n++)
        for (int b = 0; b < map->blocks; b++)
            vf_store(spare + n * rows.row + b * TIPS_BLOCK, vf_load(tips__plane(map, n, b)));
    return rows;
}

static void put_back(const tips_map *map, row_matrix rows) {
    if (rows.data == map->data) return;
    for (int n = 0; n < map->n; n++)
        for (int b = 0; b < map->blocks; b++)
            vf_store(tips__plane(map, n, b), vf_load(rows.data + n * rows.row + b * TIPS_BLOCK));
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const bool bias = op->node->n_params > BIAS;
    const int width = tips__padded(dst->c);
    float *spare = op->scratch;
    const row_matrix x = rows_of(src, spare, true), y = rows_of(dst, spare + row_floats(src), false);
    for (int n = 0; bias && n < dst->n; n++)
        memcpy(y.data + n * y.row, op->param[BIAS], (size_t)width * sizeof(float));
    tips__matmul(&(tips_matmul){.m = dst->n, .n = width, .k = src->c, .a = x.data, .a_row = x.row, .a_col = 1,
                                .b = op->param[WEIGHT], .b_row = width, .c = y.data, .c_row = y.row,
                                .accumulate = bias});
    put_back(dst, y);
    return TIPS_OK;
}

static void backward_params(const tips_op *op, row_matrix dy, float *spare) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const int width = tips__padded(dst->c);
    if (op->dparam[WEIGHT]) {
        const row_matrix x = rows_of(src, spare, true);
        tips__matmul(&(tips_matmul){.m = src->c, .n = width, .k = dst->n, .a = x.data, .a_row = 1, .a_col = x.row,
                                    .b = dy.data, .b_row = dy.row, .c = op->dparam[WEIGHT], .c_row = width,
                                    .accumulate = true});
    }
    if (op->dparam[BIAS]) {
        for (int n = 0; n < dst->n; n++)
            for (int j = 0; j < width; j += TIPS_BLOCK)
                tips__put(op->dparam[BIAS] + j, vf_load(dy.data + n * dy.row + j), true);
    }
}

static void backward_data(const tips_op *op, row_matrix dy, float *transposed, float *spare) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map, *diff_src = &op->in[0].diff;
    const bool accumulate = op->in[0].accumulate;
    const int width = tips__padded(src->c);
    const row_matrix dx = rows_of(diff_src, spare, accumulate);
    tips__transpose(op->param[WEIGHT], src->c, dst->c, tips__padded(dst->c), transposed, width);
    tips__matmul(&(tips_matmul){.m = dst->n, .n = width, .k = dst->c, .a = dy.data, .a_row = dy.row, .a_col = 1,
                                .b = transposed, .b_row = width, .c = dx.data, .c_row = dx.row,
                                .accumulate = accumulate});
    put_back(diff_src, dx);
}

static tips_status backward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    float *spare = op->scratch, *spare_dy = spare + row_floats(src), *spare_dx = spare_dy + row_floats(dst);
    const row_matrix dy = rows_of(&op->out[0].diff, spare_dy, true);
    backward_params(op, dy, spare);
    if (op->in[0].want_diff) backward_data(op, dy, spare_dx + row_floats(src), spare_dx);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    const double *weight = op->param[WEIGHT], *bias = op->node->n_params > BIAS ? op->param[BIAS] : NULL;
    for (int n = 0; n < in->n; n++) {
        for (int o = 0; o < out->c; o++) {
            double sum = bias ? bias[o] : 0;
            for (int i = 0; i < in->c; i++) sum += weight[o * in->c + i] * in->data[n * in->c + i];
            out->data[n * out->c + o] = sum;
        }
    }
    return TIPS_OK;
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]), *out = tips__value(graph, node->out[0]);
    return (double)in->c * out->c * in->per_sample;
}

static const tips_option options[] = {
    {.name = "out", .type = TIPS_OPT_INT, .offset = offsetof(tips_linear, out), .fallback = "10", .min = 1,
     .max = 1 << 20, .help = "number of outputs"},
    {.name = "no-bias", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_linear, no_bias), .fallback = "false",
     .help = "leave out the bias"},
    {.name = "gain", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_linear, gain), .fallback = "1", .min = 0,
     .max = 1e9, .help = "factor of the Kaiming-normal initialisation by fan-in"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_operand x = tips__emit_in_vector(to, node, 0), weight = tips__emit_param(to, node, WEIGHT);
    const tips_operand in[] = {x, weight, tips__emit_param(to, node, BIAS)};
    tips__emit_out_vector(to, node, 0, tips__emit_op(to, "Gemm", in, 3, TIPS_WITH(TIPS_WITH_INT("transB", 1))));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_linear) = {
    .name = "linear",
    .brief = "W x + b on vectors",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_ONE_PIXEL,
    .options = options,
    .config_size = sizeof(tips_linear),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .multiply_adds = multiply_adds,
};
