/* What a node reads and writes, as operands: values in the form that is asked for, parameters with a norm folded in. */
#include "emit/emit_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { GAMMA, BETA, MEAN, VARIANCE };

tips_operand tips__emit_in(tips_emitter *to, const tips_node *node, int i) {
    const tips_value v = node->in[i];
    if (to->map[v] == TIPS_NO_OPERAND && to->vector[v] != TIPS_NO_OPERAND)
        to->map[v] =
            tips__emit_reshape(to, to->vector[v], (const int64_t[]){-1, tips__value(to->graph, v)->c, 1, 1}, 4);
    return to->map[v];
}

bool tips__emit_in_is_pixel(const tips_emitter *to, const tips_node *node, int i) { return to->pixel[node->in[i]]; }

tips_operand tips__emit_in_vector(tips_emitter *to, const tips_node *node, int i) {
    const tips_value v = node->in[i];
    if (to->vector[v] == TIPS_NO_OPERAND && to->map[v] != TIPS_NO_OPERAND) {
        if (!to->pixel[v]) tips__emit_fix_size(to, node, "it takes a map of one pixel");
        to->vector[v] = tips__emit_op(to, "Flatten", TIPS_OPERANDS(to->map[v]), TIPS_WITH(TIPS_WITH_INT("axis", 1)));
    }
    return to->vector[v];
}

void tips__emit_out(tips_emitter *to, const tips_node *node, int i, tips_operand operand) {
    to->map[node->out[i]] = operand;
}

void tips__emit_out_vector(tips_emitter *to, const tips_node *node, int i, tips_operand operand) {
    to->vector[node->out[i]] = operand;
}

bool tips__emit_ins(tips_emitter *to, const tips_node *node, tips_operand *in) {
    bool is_vector = to->map[node->in[0]] == TIPS_NO_OPERAND;
    for (int i = 0; i < node->n_in; i++) is_vector = is_vector && to->pixel[node->in[i]];
    for (int i = 0; i < node->n_in; i++)
        in[i] = is_vector ? tips__emit_in_vector(to, node, i) : tips__emit_in(to, node, i);
    return is_vector;
}

void tips__emit_out_like(tips_emitter *to, const tips_node *node, int i, tips_operand operand, bool is_vector) {
    (is_vector ? tips__emit_out_vector : tips__emit_out)(to, node, i, operand);
}

tips_status tips__emit_same(tips_emitter *to, const tips_node *node, const char *op) {
    tips_operand in[TIPS_MAX_IN];
    const bool is_vector = tips__emit_ins(to, node, in);
    tips__emit_out_like(to, node, 0, tips__emit_op(to, op, in, node->n_in, NULL), is_vector);
    return TIPS_OK;
}

tips_value_info tips__emit_in_info(const tips_emitter *to, const tips_node *node, int i) {
    return *tips__value(to->graph, node->in[i]);
}

tips_value_info tips__emit_out_info(const tips_emitter *to, const tips_node *node, int i) {
    return *tips__value(to->graph, node->out[i]);
}

/* Parameter `id` as a tensor of its own name and shape; its data is the caller's to fill. */
static float *new_param(tips_emitter *to, int id, tips_operand *operand) {
    const tips_param_spec *spec = tips__graph_param(to->graph, id);
    tips_recorded_tensor tensor = {.kind = TIPS_TENSOR_PARAM,
                                   .type = TIPS_OPERAND_FLOAT,
                                   .n_dims = spec->n_dims,
                                   .bytes = tips__param_elements(spec) * sizeof(float)};
    for (int d = 0; d < spec->n_dims; d++) tensor.dims[d] = spec->dims[d];
    return tips__emit_filled(to, spec->name, tensor, operand);
}

static tips_operand plain_param(tips_emitter *to, int id) {
    if (to->param[id] != TIPS_NO_OPERAND) return to->param[id];
    float *data = new_param(to, id, &to->param[id]);
    if (data) tips__param_get(to->params, id, data);
    return to->param[id];
}

/* The norm's parameters, (4, channels); NULL on failure. */
static float *read_norm(tips_emitter *to, int *channels) {
    const tips_param_spec *spec = tips__graph_param(to->graph, to->norm->params[GAMMA]);
    float *norm;
    *channels = spec->dims[0];
    const tips_status status = tips__new(&norm, 4 * (size_t)*channels * sizeof *norm, "the parameters of a norm");
    tips__emit_fail(to, status);
    for (int p = 0; p < 4 && status == TIPS_OK; p++)
        tips__param_get(to->params, to->norm->params[p], norm + (ptrdiff_t)p * *channels);
    return status == TIPS_OK ? norm : NULL;
}

static double scale_of(const tips_emitter *to, const float *norm, int channels, int o) {
    const double eps = to->norm->layer->fold_eps(to->norm);
    return norm[GAMMA * channels + o] / sqrt(norm[VARIANCE * channels + o] + eps);
}

static void scale_weights(const tips_emitter *to, const float *norm, int channels, size_t count, float *weights) {
    const size_t each = count / (size_t)channels;
    for (int o = 0; o < channels; o++) {
        const double scale = scale_of(to, norm, channels, o);
        for (size_t i = 0; i < each; i++)
            weights[(size_t)o * each + i] = (float)(weights[(size_t)o * each + i] * scale);
    }
}

static tips_operand folded_weights(tips_emitter *to, int id) {
    tips_operand made = TIPS_NO_OPERAND;
    int channels;
    float *norm = read_norm(to, &channels), *data = norm ? new_param(to, id, &made) : NULL;
    if (data) {
        tips__param_get(to->params, id, data);
        scale_weights(to, norm, channels, tips__param_elements(tips__graph_param(to->graph, id)), data);
    }
    tips__free(norm);
    return made;
}

/* beta + (own - mean) scale, under the name of beta; `own` is the convolution's bias, parameter `id`, or -1. */
static tips_operand folded_bias(tips_emitter *to, int id) {
    tips_operand made = TIPS_NO_OPERAND;
    int channels;
    float *norm = read_norm(to, &channels), *data = norm ? new_param(to, to->norm->params[BETA], &made) : NULL;
    if (data) {
        if (id >= 0) tips__param_get(to->params, id, data);
        else memset(data, 0, (size_t)channels * sizeof *data);
        for (int o = 0; o < channels; o++) {
            const double from_mean = (double)data[o] - norm[MEAN * channels + o];
            data[o] = (float)(norm[BETA * channels + o] + from_mean * scale_of(to, norm, channels, o));
        }
    }
    tips__free(norm);
    return made;
}

tips_operand tips__emit_param(tips_emitter *to, const tips_node *node, int i) {
    if (i >= node->n_params || to->status != TIPS_OK) return TIPS_NO_OPERAND;
    return to->norm && i == 0 ? folded_weights(to, node->params[0]) : plain_param(to, node->params[i]);
}

tips_operand tips__emit_bias(tips_emitter *to, const tips_node *node, int i) {
    if (!to->norm || to->status != TIPS_OK) return tips__emit_param(to, node, i);
    return folded_bias(to, i < node->n_params ? node->params[i] : -1);
}

tips_operand tips__emit_spread_param(tips_emitter *to, const tips_node *node, int i, bool is_vector) {
    const tips_operand made = tips__emit_param(to, node, i);
    if (made == TIPS_NO_OPERAND || is_vector) return made;
    tips_recorded_tensor *tensor = &to->record.tensors[made];
    tensor->n_dims = 3;
    tensor->dims[1] = tensor->dims[2] = 1;
    return made;
}
