/* What an operator looks for at the start, and how large its mixing matrix is. What is large enough depends on the maps
 * it meets, so the network looks at a few pictures: between the best phase and the next, logits shall differ by GAP for
 * the middle one of them. Much more would only turn rounding into other answers and gradients into jumps.
 *
 * Behind a low-pass filter or a mean over the stride all phases have the same mean: those filters are zero at the
 * frequency that tells phases apart. A choice by the mean would then be one by rounding errors, and another
 * program's would differ. There psi starts as contrast, a pixel minus the mean of its neighbours. */
#include "convert/convert_sharpness.h"

#include "convert/convert.h"
#include "core/fail.h"
#include "core/memory.h"
#include "net/net.h"
#include "tensor/phase.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PICTURES = TIPS_CONVERT_PICTURES };
static const double GAP = 10;
/* Gaps beside the means themselves: rounding alone, and so narrow that the other look may tell phases apart better. */
static const double TIE = 1e-5, NARROW = 1e-3;

enum { MEAN, CONTRAST, LOOKS };

typedef struct mixing {
    const tips_node *node;
    int stride[2];
    int psi, matrix;              /* parameters */
    double gaps[LOOKS][PICTURES]; /* between the best phase and the second, for a matrix of ones */
    double means[PICTURES];       /* of the best phase */
} mixing;

static int around(int i, int n) { return (i + n) % n; }

/* What psi makes of one row of a block of channels. */
static void look_at_row(const tips_map *x, int block, int i, int look, double *out) {
    const int lanes = tips__block(), width = x->w * lanes;
    const float *rows[3];
    for (int k = 0; k < 3; k++) rows[k] = tips__row(x, 0, block, around(i + k - 1, x->h));
    for (int j = 0; j < width; j++) {
        double value = rows[1][j];
        if (look == CONTRAST) {
            double sum = 0;
            for (int k = 0; k < 9; k++) sum += rows[k / 3][around(j + (k % 3 - 1) * lanes, width)];
            value -= (sum - value) / 8;
        }
        out[j] = fmax(value, 0);
    }
}

static void sums_of_phases(const tips_map *x, const int stride[2], int look, double *row, double *sums) {
    const int lanes = tips__block();
    for (int block = 0; block < x->blocks; block++)
        for (int i = 0; i < x->h; i++) {
            look_at_row(x, block, i, look, row);
            for (int j = 0; j < x->w * lanes; j++)
                sums[i % stride[0] * stride[1] + j / lanes % stride[1]] += row[j];
        }
}

static tips_status look_at_map(const tips_map *x, int picture, mixing *m) {
    const int phases = m->stride[0] * m->stride[1];
    const double cells = (double)x->h * x->w / phases;
    double *row;
    TIPS_TRY(tips__new(&row, (size_t)(x->w * tips__block()) * sizeof *row, "a row"));
    for (int look = 0; look < LOOKS; look++) {
        double sums[TIPS_MAX_PHASES] = {0}, best = -INFINITY, second = -INFINITY;
        sums_of_phases(x, m->stride, look, row, sums);
        for (int k = 0; k < phases; k++) {
            second = fmax(second, fmin(best, sums[k]));
            best = fmax(best, sums[k]);
        }
        m->gaps[look][picture] = (best - second) / cells;
        if (look == MEAN) m->means[picture] = best / cells;
    }
    tips__free(row);
    return TIPS_OK;
}

/* The psi beside a matrix NAME.mix.weight is NAME.psi.weight, in the operator or before it. */
static int psi_of(const tips_graph *graph, const char *matrix) {
    char name[TIPS_CHANGE_TEXT + 32];
    const size_t length = strlen(matrix) - strlen("mix.weight");
    snprintf(name, sizeof name, "%.*spsi.weight", (int)length, matrix);
    return tips__param_find(graph, name);
}

static void list_mixings(const tips_graph *graph, mixing *list, int *count) {
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        mixing m = {.node = node};
        for (int k = 0; k < node->n_params; k++) {
            const tips_param_spec *spec = tips__graph_param(graph, node->params[k]);
            if (!tips__convert_is_mixing(spec) || !node->layer->pools) continue;
            m.matrix = node->params[k];
            m.psi = psi_of(graph, spec->name);
            if (node->layer->pools(node, m.stride)) list[(*count)++] = m;
        }
    }
}

static tips_status look_at_pictures(tips_net *net, const tips_graph *graph, const tips_convert_input *input,
                                    mixing *list, int count) {
    const tips_value_info *info = tips__value(graph, input->value);
    float *pixels;
    TIPS_TRY(tips__new(&pixels, (size_t)info->c * (size_t)info->h * (size_t)info->w * sizeof *pixels, "a picture"));
    tips_status status = TIPS_OK;
    for (int p = 0; p < PICTURES && status == TIPS_OK; p++) {
        tips__convert_picture(info, input, p, pixels);
        status = tips__net_set_map(net, input->value, pixels);
        if (status == TIPS_OK) status = tips__net_forward(net);
        for (int i = 0; i < count && status == TIPS_OK; i++) {
            const tips_map x = tips__net_map(net, list[i].node->in[0]);
            status = look_at_map(&x, p, &list[i]);
        }
    }
    tips__free(pixels);
    return status;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The middle one; NAN if one of them is not finite. */
static double median(double values[PICTURES]) {
    for (int p = 0; p < PICTURES; p++)
        if (!isfinite(values[p])) return NAN;
    qsort(values, PICTURES, sizeof *values, by_size);
    return values[PICTURES / 2];
}

static tips_status fill(tips_params *params, int id, void (*values_of)(const tips_param_spec *, float, float *),
                        float value) {
    const tips_param_spec *spec = tips__graph_param(params->graph, id);
    float *values;
    TIPS_TRY(tips__new(&values, tips__param_elements(spec) * sizeof *values, "a parameter"));
    values_of(spec, value, values);
    tips__param_set(params, id, values);
    tips__free(values);
    return TIPS_OK;
}

static void constant(const tips_param_spec *spec, float value, float *out) {
    for (size_t i = 0; i < tips__param_elements(spec); i++) out[i] = value;
}

/* A layer that is dead, overflows, or sees nothing to choose by keeps its start. */
static tips_status set_start(mixing *m, tips_params *params) {
    const double means = median(m->means);
    double gap = median(m->gaps[MEAN]);
    if (!isfinite(means)) return TIPS_OK;
    if (m->psi >= 0 && gap <= NARROW * means) {
        const double contrast = median(m->gaps[CONTRAST]);
        if (!(fmax(gap, contrast) > TIE * means)) return TIPS_OK;
        if (contrast > gap) {
            gap = contrast;
            TIPS_TRY(fill(params, m->psi, tips__convert_psi, -1.0f / 8));
        }
    }
    const double wanted = GAP / gap;
    return wanted > 0 && wanted < 1e9 ? fill(params, m->matrix, constant, (float)wanted) : TIPS_OK;
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
    for (int i = 0; i < count && status == TIPS_OK; i++) status = set_start(&list[i], params);
    tips__free(list);
    return status;
}
