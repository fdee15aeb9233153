/* As many means as are asked for, whatever the size of the map: cell i of H is the mean of rows floor(i h / H) to
 * ceil((i + 1) h / H) - 1, and likewise of columns. Windows may overlap, and repeat where the map is smaller. Where H
 * and W divide the map's size they are plain windows. Sums go row by row in a fixed order. */
#include "emit/emit.h"
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "layer/window.h"

typedef struct span {
    int first, end;
} span;

static span span_of(int i, int cells, int size) {
    return (span){(int)((int64_t)i * size / cells), (int)(((int64_t)(i + 1) * size + cells - 1) / cells)};
}

static float cells_of(span rows, span columns) {
    return (float)(rows.end - rows.first) * (float)(columns.end - columns.first);
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_adaptive_avg *c = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, c->size[0], c->size[1], in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

static vf mean_of(const tips_map *src, int n, int b, span rows, span columns) {
    vf sum = {0};
    for (int y = rows.first; y < rows.end; y++) {
        const float *from = tips__row(src, n, b, y);
        vf line = {0};
        for (int x = columns.first; x < columns.end; x++) line += vf_load(from + (ptrdiff_t)x * TIPS_BLOCK);
        sum += line;
    }
    return sum / cells_of(rows, columns);
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b)
        for (int y = 0; y < dst->h; y++)
            for (int x = 0; x < dst->w; x++)
                vf_store(tips__row(dst, n, b, y) + (ptrdiff_t)x * TIPS_BLOCK,
                         mean_of(src, n, b, span_of(y, dst->h, src->h), span_of(x, dst->w, src->w)));
    return TIPS_OK;
}

static void spread(const tips_map *to, int n, int b, span rows, span columns, vf share) {
    for (int y = rows.first; y < rows.end; y++)
        for (int x = columns.first; x < columns.end; x++)
            tips__put(tips__row(to, n, b, y) + (ptrdiff_t)x * TIPS_BLOCK, share, true);
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *from = &op->out[0].diff, *to = &op->in[0].diff;
    TIPS_PARALLEL_PLANES (to, n, b) {
        if (!op->in[0].accumulate) tips__zero_plane(to, n, b);
        for (int y = 0; y < from->h; y++)
            for (int x = 0; x < from->w; x++) {
                const span rows = span_of(y, from->h, to->h), columns = span_of(x, from->w, to->w);
                const vf dy = vf_load(tips__row(from, n, b, y) + (ptrdiff_t)x * TIPS_BLOCK);
                spread(to, n, b, rows, columns, dy / cells_of(rows, columns));
            }
    }
    return TIPS_OK;
}

static double ref_mean(const tips_ref_slot *in, int plane, const tips_ref_slot *out, int y, int x) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < in->h; i++)
        for (int j = 0; j < in->w; j++) {
            /* It is in the window if any part of it lies between y h / H and (y + 1) h / H. */
            if ((i + 1) * out->h <= y * in->h || i * out->h >= (y + 1) * in->h) continue;
            if ((j + 1) * out->w <= x * in->w || j * out->w >= (x + 1) * in->w) continue;
            sum += in->data[((size_t)plane * in->h + i) * in->w + j];
            count++;
        }
    return sum / count;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    double *to = out->data;
    for (int plane = 0; plane < in->n * in->c; plane++)
        for (int y = 0; y < out->h; y++)
            for (int x = 0; x < out->w; x++) *to++ = ref_mean(in, plane, out, y, x);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]), *out = tips__value(graph, node->out[0]);
    return in->h == out->h && in->w == out->w ? NULL : "fixed grid";
}

/* Means of rows, or of columns, side by side. */
static tips_operand emit_axis(tips_emitter *to, tips_operand x, int axis, int cells, int size) {
    tips_operand parts[TIPS_MOST_ADAPTIVE];
    for (int i = 0; i < cells; i++) {
        const span s = span_of(i, cells, size);
        parts[i] = tips__emit_reduce(to, "ReduceMean", tips__emit_slice(to, x, axis, s.first, s.end, 1), &axis, 1);
    }
    return tips__emit_concat(to, parts, cells, axis);
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_adaptive_avg *c = node->config;
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    tips__emit_fix_size(to, node, "its windows are made for a map of this size");
    const tips_operand rows = emit_axis(to, tips__emit_in(to, node, 0), TIPS_EMIT_ROWS, c->size[0], in.h);
    tips__emit_out(to, node, 0, emit_axis(to, rows, TIPS_EMIT_COLUMNS, c->size[1], in.w));
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "size",
     .type = TIPS_OPT_PAIR,
     .offset = offsetof(tips_adaptive_avg, size),
     .fallback = "1",
     .min = 1,
     .max = TIPS_MOST_ADAPTIVE,
     .help = "rows and columns of means"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_adaptive_avg) = {
    .name = "adaptive_avg",
    .brief = "a fixed number of means, whatever the size of the map",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_adaptive_avg),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
