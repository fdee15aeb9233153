/* Channels of 2 to 12 maps, one after the other: y[off_i + c] = x_i[c], off_i the channels of the maps before.
 *
 * Where off_i is no multiple of B a block of x_i lies across two blocks of y, so lanes slide: an output block is the
 * union of the slid blocks of its inputs, whose unused lanes are zero. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

#include <string.h>

static tips_status shape(tips_graph *graph, tips_node *node) {
    if (node->n_in < 2 || node->n_in > TIPS_MAX_IN) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': concat takes 2 to %d inputs, not %d", node->name, TIPS_MAX_IN, node->n_in);
    }
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info first = tips__in_info(graph, node, 0);
    int channels = first.c;
    for (int i = 1; i < node->n_in; i++) {
        TIPS_TRY(tips__expect_map(graph, node, i));
        const tips_value_info in = tips__in_info(graph, node, i);
        if (in.h != first.h || in.w != first.w || in.per_sample != first.per_sample) {
            TIPS_FAIL(TIPS_SHAPE, "layer '%s': input %d is of %dx%d (%d per sample), input 0 of %dx%d (%d per sample)",
                      node->name, i, in.h, in.w, in.per_sample, first.h, first.w, first.per_sample);
        }
        channels += in.c;
    }
    tips__node_out(graph, node, tips__map_info(channels, first.h, first.w, first.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

/* Lanes from..from+B-1 of the 2B lanes of (low, high). */
static inline vf slide(vf low, vf high, int from) {
    float pair[2 * TIPS_BLOCK] __attribute__((aligned(4 * TIPS_BLOCK)));
    vf_store(pair, low);
    vf_store(pair + TIPS_BLOCK, high);
    vf window;
    memcpy(&window, pair + from, sizeof window);
    return window;
}

/* Row y of a block, or NULL where the map has no such block. */
static const float *block_row(const tips_map *map, int n, int block, int y) {
    return block >= 0 && block < map->blocks ? tips__row(map, n, block, y) : NULL;
}

static inline vf load_or_zero(const float *row, int x) { return row ? vf_load(row + x) : (vf){0}; }

static void write_slid(const float *low, const float *high, int from, int width, bool first, float *to) {
    for (int x = 0; x < width; x += TIPS_BLOCK) {
        const vf part = slide(load_or_zero(low, x), load_or_zero(high, x), from);
        vf_store(to + x, first ? part : (vf)((vi)vf_load(to + x) | (vi)part));
    }
}

/* One row of one output block from every input that has channels in it. */
static void join_row(const tips_op *op, int n, int block, int y) {
    const tips_map *dst = &op->out[0].map;
    const int width = dst->w * TIPS_BLOCK, begin = block * TIPS_BLOCK, end = begin + TIPS_BLOCK;
    float *to = tips__row(dst, n, block, y);
    bool first = true;
    for (int i = 0, offset = 0; i < op->n_in; offset += op->in[i].map.c, i++) {
        const tips_map *src = &op->in[i].map;
        if (offset >= end || offset + src->c <= begin) continue;
        const int shift = offset % TIPS_BLOCK, q = block - offset / TIPS_BLOCK;
        const float *low = block_row(src, n, q - 1, y), *high = block_row(src, n, q, y);
        if (high == to) return; /* written there by its maker */
        if (first && shift == 0)
            memcpy(to, high, (size_t)width * sizeof(float));
        else
            write_slid(low, high, TIPS_BLOCK - shift, width, first, to);
        first = false;
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES(dst, n, b)
        for (int y = 0; y < dst->h; y++) join_row(op, n, b, y);
    return TIPS_OK;
}

/* One plane of an input's gradient, from the two output blocks it lies across. */
static void split_plane(const tips_slot *in, const tips_map *diff_dst, int offset, int n, int block) {
    const int shift = offset % TIPS_BLOCK, q = block + offset / TIPS_BLOCK;
    const vi mask = tips__lane_mask(in->map.c, block);
    for (int y = 0; y < diff_dst->h; y++) {
        const float *low = block_row(diff_dst, n, q, y), *high = block_row(diff_dst, n, q + 1, y);
        float *to = tips__row(&in->diff, n, block, y);
        for (int x = 0; x < diff_dst->w * TIPS_BLOCK; x += TIPS_BLOCK) {
            const vf part = shift == 0 ? vf_load(low + x) : slide(vf_load(low + x), load_or_zero(high, x), shift);
            tips__put(to + x, tips__masked(part, mask), in->accumulate);
        }
    }
}

static tips_status backward(tips_op *op) {
    for (int i = 0, offset = 0; i < op->n_in; offset += op->in[i].map.c, i++) {
        const tips_slot *in = &op->in[i];
        if (!in->want_diff) continue;
        TIPS_PARALLEL_PLANES(&in->map, n, b) split_plane(in, &op->out[0].diff, offset, n, b);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *out = &op->out[0];
    const size_t area = (size_t)out->h * out->w;
    for (int n = 0; n < out->n; n++) {
        double *to = out->data + (size_t)n * out->c * area;
        for (int i = 0; i < op->n_in; i++) {
            const size_t count = (size_t)op->in[i].c * area;
            for (size_t j = 0; j < count; j++) *to++ = op->in[i].data[(size_t)n * count + j];
        }
    }
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    tips_operand in[TIPS_MAX_IN];
    const bool is_vector = tips__emit_ins(to, node, in);
    tips__emit_out_like(to, node, 0, tips__emit_concat(to, in, node->n_in, 1), is_vector);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_concat) = {
    .name = "concat",
    .brief = "the channels of several maps, one after the other",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
