/* How large the mixing matrix of an operator starts. What is large enough depends on the maps it meets, so the network
 * looks at a few pictures: between the phase with the largest sum of means and the next, logits shall differ by GAP for
 * the middle one of them. Much more would only turn rounding into other answers and gradients into jumps. */
#include "run/convert_sharpness.h"

#include "convert/convert.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/natural_image.h"
#include "net/net.h"
#include "tensor/phase.h"

#include <math.h>
#include <stdlib.h>

enum { PICTURES = 9 };
static const double GAP = 10;

typedef struct mixing {
    const tips_node *node;
    int stride[2];
    int param;
    double gaps[PICTURES]; /* between the best phase and the second, for a matrix of ones */
} mixing;

static double gap_between(const tips_map *x, const int stride[2]) {
    const int phases = stride[0] * stride[1];
    const double cells = (double)x->h * x->w / phases;
    double sums[TIPS_MAX_PHASES] = {0};
    for (int block = 0; block < x->blocks; block++)
        for (int i = 0; i < x->h; i++) {
            const float *row = tips__row(x, 0, block, i);
            for (int j = 0; j < x->w * TIPS_BLOCK; j++)
                sums[i % stride[0] * stride[1] + j / TIPS_BLOCK % stride[1]] += row[j];
        }
    int best = 0;
    for (int k = 1; k < phases; k++)
        if (sums[k] > sums[best]) best = k;
    double second = -INFINITY;
    for (int k = 0; k < phases; k++)
        if (k != best && sums[k] > second) second = sums[k];
    return (sums[best] - second) / cells;
}

static void list_mixings(const tips_graph *graph, mixing *list, int *count) {
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        mixing m = {.node = node};
        for (int k = 0; k < node->n_params; k++) {
            if (!tips__convert_is_mixing(tips__graph_param(graph, node->params[k])) || !node->layer->pools) continue;
            m.param = node->params[k];
            if (node->layer->pools(node, m.stride)) list[(*count)++] = m;
        }
    }
}

static void make_input(const tips_value_info *info, const tips_convert_input *range, uint64_t seed, float *out) {
    const size_t plane = (size_t)info->h * (size_t)info->w;
    tips__natural_image(seed, info->c, info->h, info->w, out);
    for (int c = 0; c < info->c; c++)
        for (size_t i = 0; i < plane; i++) {
            const int channel = c < 3 ? c : 2;
            out[(size_t)c * plane + i] = (out[(size_t)c * plane + i] - range->mean[channel]) / range->std[channel];
        }
}

static tips_status look_at_pictures(tips_net *net, const tips_graph *graph, const tips_convert_input *input,
                                    mixing *list, int count) {
    const tips_value_info *info = tips__value(graph, input->value);
    float *pixels;
    TIPS_TRY(tips__new(&pixels, (size_t)info->c * (size_t)info->h * (size_t)info->w * sizeof *pixels, "a picture"));
    tips_status status = TIPS_OK;
    for (int p = 0; p < PICTURES && status == TIPS_OK; p++) {
        make_input(info, input, (uint64_t)p + 1, pixels);
        status = tips__net_set_map(net, input->value, pixels);
        if (status == TIPS_OK) status = tips__net_forward(net);
        for (int i = 0; i < count && status == TIPS_OK; i++) {
            const tips_map x = tips__net_map(net, list[i].node->in[0]);
            list[i].gaps[p] = gap_between(&x, list[i].stride);
        }
    }
    tips__free(pixels);
    return status;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static tips_status set_matrix(tips_params *params, int id, float value) {
    const size_t elements = tips__param_elements(tips__graph_param(params->graph, id));
    float *values;
    TIPS_TRY(tips__new(&values, elements * sizeof *values, "a parameter"));
    for (size_t i = 0; i < elements; i++) values[i] = value;
    tips__param_set(params, id, values);
    tips__free(values);
    return TIPS_OK;
}

/* A layer that is dead, or overflows, keeps its start. */
static tips_status set_mixing(mixing *m, tips_params *params) {
    for (int p = 0; p < PICTURES; p++)
        if (!isfinite(m->gaps[p])) return TIPS_OK;
    qsort(m->gaps, PICTURES, sizeof *m->gaps, by_size);
    const double wanted = GAP / m->gaps[PICTURES / 2];
    return wanted > 0 && wanted < 1e9 ? set_matrix(params, m->param, (float)wanted) : TIPS_OK;
}

tips_status tips__convert_sharpen(const tips_convert_input *input, tips_params *params) {
    const tips_net_options options = {.n = 1, .keep_all = true, .algorithm = TIPS_ALGORITHM_EXACT, .seed = 1};
    const tips_graph *graph = params->graph;
    mixing *list;
    tips_net *net;
    int count = 0;
    TIPS_TRY(tips__new(&list, (size_t)tips__graph_param_count(graph) * sizeof *list, "the operators"));
    list_mixings(graph, list, &count);
    tips_status status = TIPS_OK;
    if (count > 0) status = tips__net_compile(graph, params, &options, &net);
    if (count > 0 && status == TIPS_OK) {
        status = look_at_pictures(net, graph, input, list, count);
        tips__net_destroy(net);
    }
    for (int i = 0; i < count && status == TIPS_OK; i++) status = set_mixing(&list[i], params);
    tips__free(list);
    return status;
}
