/* conv_transpose: every cell n puts weight[t] x[n] at pixel s n + d t - p, and what falls together is added up; the
 * transpose of a convolution with a stride. With a second input, the phase (a, b) that was chosen on the way down, all
 * of it lies (a, b) further, around the torus: cells come back to where they were taken. A circular padding takes what
 * reaches over an end in at the other. */
#include "layer/conv_transpose_run.h"

#include "layer/conv2d_run.h"
#include "layer/emit_common.h"
#include "layer/phases.h"

#include <math.h>

static bool is_circular(const tips_conv2d *c) { return c->padding.mode == TIPS_PAD_CIRCULAR; }

static void cut_of(const tips_conv2d *c, int axis, int cut[2]) {
    cut[0] = axis ? c->padding.left : c->padding.top;
    cut[1] = axis ? c->padding.right : c->padding.bottom;
}

static int span_of(const tips_conv2d *c, int axis) { return (c->kernel[axis] - 1) * c->dilation[axis] + 1; }

int tips__conv_transpose_extent(const tips_conv_transpose *config, int in, int axis) {
    const tips_conv2d *c = &config->conv;
    int cut[2];
    cut_of(c, axis, cut);
    if (is_circular(c)) return in * c->stride[axis];
    return (in - 1) * c->stride[axis] + span_of(c, axis) - cut[0] - cut[1] + config->more[axis];
}

static tips_status check_config(const tips_node *node, const tips_value_info *x) {
    const tips_conv_transpose *config = node->config;
    const tips_conv2d *c = &config->conv;
    const int counts[] = {c->out, c->kernel[0], c->kernel[1], c->stride[0], c->stride[1], c->dilation[0],
                          c->dilation[1], c->groups};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] < 1)
            TIPS_FAIL(TIPS_RANGE, "conv_transpose '%s': channels, kernel, stride, dilation and groups start at 1",
                      node->name);
    if (c->padding.top < 0 || c->padding.left < 0 || c->padding.bottom < 0 || c->padding.right < 0 ||
        config->more[0] < 0 || config->more[1] < 0)
        TIPS_FAIL(TIPS_RANGE, "conv_transpose '%s': negative padding", node->name);
    if (c->padding.mode != TIPS_PAD_ZERO && !is_circular(c))
        TIPS_FAIL(TIPS_UNSUPPORTED, "conv_transpose '%s': its padding is zero or circular, not %s", node->name,
                  tips_pad_mode_names[c->padding.mode]);
    if (x->c % c->groups || c->out % c->groups)
        TIPS_FAIL(TIPS_SHAPE, "conv_transpose '%s': %d groups do not divide %d input and %d output channels",
                  node->name, c->groups, x->c, c->out);
    return TIPS_OK;
}

static tips_status check_extents(const tips_node *node, const tips_value_info *x, const int extent[2]) {
    const int *stride = ((const tips_conv_transpose *)node->config)->conv.stride;
    if (extent[0] < 1 || extent[1] < 1)
        TIPS_FAIL(TIPS_SHAPE, "conv_transpose '%s': nothing is left of a %dx%d map", node->name, x->h, x->w);
    if (node->n_in == 2 && (extent[0] != x->h * stride[0] || extent[1] != x->w * stride[1]))
        TIPS_FAIL(TIPS_SHAPE,
                  "conv_transpose '%s': a map of %dx%d becomes one of %dx%d; to follow a phase it must become %dx%d",
                  node->name, x->h, x->w, extent[0], extent[1], x->h * stride[0], x->w * stride[1]);
    return TIPS_OK;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_conv_transpose *config = node->config;
    const tips_conv2d *c = &config->conv;
    TIPS_TRY(tips__expect_inputs(node, node->n_in == 1 ? 1 : 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    if (node->n_in == 2) TIPS_TRY(tips__expect_number(graph, node, 1));
    const tips_value_info x = tips__in_info(graph, node, 0);
    TIPS_TRY(check_config(node, &x));
    const int extent[2] = {tips__conv_transpose_extent(config, x.h, 0), tips__conv_transpose_extent(config, x.w, 1)};
    TIPS_TRY(check_extents(node, &x, extent));
    /* As many cells reach a pixel as there are taps to a pixel of a cell. */
    const double reach = (double)c->kernel[0] * c->kernel[1] / ((double)c->stride[0] * c->stride[1]);
    const double fan_in = (double)(x.c / c->groups) * (reach > 1 ? reach : 1);
    const double gain = c->gain > 0 ? c->gain : sqrt(2.0);
    tips__node_param(graph, node, "weight",
                     (tips_param_spec){.layout = TIPS_CONV, .n_dims = 4,
                                       .dims = {x.c, c->out / c->groups, c->kernel[0], c->kernel[1]},
                                       .groups = c->groups, .std = gain / sqrt(fan_in), .trainable = true,
                                       .decay = !c->no_decay});
    if (c->bias)
        tips__node_param(graph, node, "bias",
                         (tips_param_spec){.layout = TIPS_VECTOR, .dims = {c->out}, .n_dims = 1, .trainable = true,
                                           .decay = !c->no_decay});
    tips__node_out(graph, node, tips__map_info(c->out, extent[0], extent[1], x.per_sample));
    return TIPS_OK;
}

/* ---- the oracle: cell by cell, as the first sentence says ---- */

static int landing(const tips_conv_transpose *config, int axis, int cell, int tap, int phase, int size) {
    const tips_conv2d *c = &config->conv;
    int cut[2];
    cut_of(c, axis, cut);
    const int at = cell * c->stride[axis] + tap * c->dilation[axis] - cut[0];
    if (!is_circular(c) && (at < 0 || at >= size)) return -1;
    return ((at + phase) % size + size) % size;
}

static void scatter(const tips_ref_op *op, int n, int o, int i, double *plane) {
    const tips_conv_transpose *config = op->node->config;
    const tips_conv2d *c = &config->conv;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    const int phase = op->n_in == 2 ? op->in[1].index[n] : 0, each = c->out / c->groups;
    const double *x = in->data + ((size_t)n * (size_t)in->c + (size_t)i) * (size_t)in->h * (size_t)in->w;
    const double *w = op->param[0] + ((size_t)i * (size_t)each + (size_t)(o % each)) * (size_t)c->kernel[0] *
                                         (size_t)c->kernel[1];
    for (int y = 0; y < in->h; y++)
        for (int ty = 0; ty < c->kernel[0]; ty++) {
            const int row = landing(config, 0, y, ty, phase / c->stride[1], out->h);
            for (int col = 0; col < in->w && row >= 0; col++)
                for (int tx = 0; tx < c->kernel[1]; tx++) {
                    const int to = landing(config, 1, col, tx, phase % c->stride[1], out->w);
                    if (to >= 0) plane[row * out->w + to] += w[ty * c->kernel[1] + tx] * x[y * in->w + col];
                }
        }
}

static tips_status ref(tips_ref_op *op) {
    const tips_conv2d *c = &((const tips_conv_transpose *)op->node->config)->conv;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    const int each_in = in->c / c->groups, each_out = c->out / c->groups;
    for (int n = 0; n < out->n; n++)
        for (int o = 0; o < out->c; o++) {
            double *plane = out->data + ((size_t)n * (size_t)out->c + (size_t)o) * (size_t)out->h * (size_t)out->w;
            for (int p = 0; p < out->h * out->w; p++) plane[p] = c->bias ? op->param[1][o] : 0;
            for (int i = o / each_out * each_in; i < (o / each_out + 1) * each_in; i++) scatter(op, n, o, i, plane);
        }
    return TIPS_OK;
}

/* Beyond an end there are no cells whose taps would reach back in. */
static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_conv2d *c = &((const tips_conv_transpose *)node->config)->conv;
    (void)graph;
    if (is_circular(c)) return NULL;
    for (int axis = 0; axis < 2; axis++)
        if (span_of(c, axis) > c->stride[axis]) return "padding";
    return NULL;
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_conv2d *c = &((const tips_conv_transpose *)node->config)->conv;
    const tips_value_info *x = tips__value(graph, node->in[0]);
    return (double)x->c * x->h * x->w * x->per_sample * (c->out / c->groups) * c->kernel[0] * c->kernel[1];
}

/* ---- in ONNX ---- */

/* How many cells before and behind the map reach into it, where it is circular. */
static void neighbours(const tips_conv2d *c, int axis, int out[2]) {
    int cut[2];
    cut_of(c, axis, cut);
    const int beyond = span_of(c, axis) - 1 - cut[0];
    out[0] = beyond > 0 ? (beyond + c->stride[axis] - 1) / c->stride[axis] : 0;
    out[1] = (cut[0] + c->stride[axis] - 1) / c->stride[axis];
}

static tips_operand emit_plain(tips_emitter *to, const tips_node *node, tips_operand x, const tips_padding *cut,
                               const int more[2]) {
    const tips_conv2d *c = &((const tips_conv_transpose *)node->config)->conv;
    const tips_operand in[] = {x, tips__emit_param(to, node, 0), tips__emit_bias(to, node, 1)};
    return tips__emit_op(to, "ConvTranspose", in, 3,
                         TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", c->kernel[0], c->kernel[1]),
                                   TIPS_WITH_PAIR("strides", c->stride[0], c->stride[1]),
                                   TIPS_WITH_PAIR("dilations", c->dilation[0], c->dilation[1]),
                                   TIPS_WITH_PAIR("output_padding", more[0], more[1]),
                                   TIPS_WITH_FOUR("pads", cut->top, cut->left, cut->bottom, cut->right),
                                   TIPS_WITH_INT("group", c->groups)));
}

/* Among its neighbours around the torus, then the part that is the map's own. */
static tips_operand emit_circular(tips_emitter *to, const tips_node *node) {
    const tips_conv2d *c = &((const tips_conv_transpose *)node->config)->conv;
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    int rows[2], columns[2], start[2], stop[2];
    neighbours(c, 0, rows);
    neighbours(c, 1, columns);
    const tips_padding around = {TIPS_PAD_CIRCULAR, rows[0], columns[0], rows[1], columns[1]};
    const int before[2] = {rows[0], columns[0]}, behind[2] = {rows[1], columns[1]};
    tips_operand x = tips__emit_in(to, node, 0);
    if (rows[0] + rows[1] + columns[0] + columns[1] > 0) x = tips__emit_pad(to, node, x, in, &around, 0);
    /* Pixels beyond the last cell's own are there to be cut off, so that the end is counted from there. */
    const int more[2] = {span_of(c, 0) < c->stride[0] ? c->stride[0] - span_of(c, 0) : 0,
                         span_of(c, 1) < c->stride[1] ? c->stride[1] - span_of(c, 1) : 0};
    x = emit_plain(to, node, x, &(tips_padding){0}, more);
    bool whole = true;
    for (int axis = 0; axis < 2; axis++) {
        int cut[2];
        cut_of(c, axis, cut);
        const int tail = behind[axis] * c->stride[axis] - cut[0] + span_of(c, axis) + more[axis] - c->stride[axis];
        start[axis] = before[axis] * c->stride[axis] + cut[0];
        stop[axis] = tail > 0 ? -tail : INT_MAX;
        whole = whole && start[axis] == 0 && tail == 0;
    }
    return whole ? x : tips__emit_window(to, x, start, stop, (const int[2]){1, 1});
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_conv_transpose *config = node->config;
    const tips_conv2d *c = &config->conv;
    tips_operand y = is_circular(c)
                         ? emit_circular(to, node)
                         : emit_plain(to, node, tips__emit_in(to, node, 0), &c->padding, config->more);
    if (node->n_in == 2) y = tips__emit_roll(to, y, tips__emit_in(to, node, 1), c->stride, true);
    tips__emit_out(to, node, 0, y);
    return TIPS_OK;
}

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_conv_transpose, conv), .group = tips__conv2d_rows},
    {.name = "more", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_conv_transpose, more), .fallback = "0", .min = 0,
     .max = 1 << 12, .help = "rows and columns more at the end"},
    {.type = TIPS_OPT_END},
};

/* The engine's gradients of the weights want a map without gaps. */
static tips_source_layout reads(const tips_op *op, tips_padding *halo) {
    (void)halo;
    return tips__goes_back(&op->pass) ? TIPS_READS_DENSE : TIPS_READS_ANY;
}

const tips_layer TIPS_ROW(tips__layer_conv_transpose) = {
    .name = "conv_transpose",
    .brief = "transposed convolution: a map enlarged by learned weights, at the chosen phase if it is given",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_conv_transpose),
    .shape = shape,
    .plan = tips__conv_transpose_plan,
    .forward = tips__conv_transpose_forward,
    .backward = tips__conv_transpose_backward,
    .release = tips__conv_transpose_release,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
    .multiply_adds = multiply_adds,
    .reads = reads,
};
