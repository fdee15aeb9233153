/* max: y[i,j] = the largest value of the sh x sw window. The gradient goes to the first maximum in row-major order. */
#include "core/threads.h"
#include "emit/emit.h"
#include "pool/pool_parts.h"
#include "pool/pool_ref.h"

enum { B = TIPS_BLOCK };

typedef struct max_config {
    tips_pool_common common;
} max_config;
TIPS_POOL_CHECK_CONFIG(max_config);

static const tips_option options[] = {{.type = TIPS_OPT_END}};

static unsigned traits(const void *config) {
    (void)config;
    return 0;
}

static tips_status plan(tips_op *op, tips_plan *out) {
    (void)op;
    out->keep_in = 1;
    return TIPS_OK;
}

/* NaN counts as larger than everything, so that it is not lost. */
static inline vi larger(vf value, vf best) { return (value > best) | (value != value); }

static inline void max_row(const float *x, ptrdiff_t row, float *y, int ow, int sh, int sw) {
    for (int j = 0; j < ow; j++) {
        const float *window = x + (ptrdiff_t)j * sw * B;
        vf best = vf_load(window);
        for (int a = 0; a < sh; a++)
            for (int b = 0; b < sw; b++) {
                const vf value = vf_load(window + a * row + (ptrdiff_t)b * B);
                best = vf_select(larger(value, best), value, best);
            }
        vf_store(y + (ptrdiff_t)j * B, best);
    }
}

static void max_plane(const tips_map *y, const tips_map *x, int n, int block, const int stride[2]) {
    const int sh = stride[0], sw = stride[1];
    for (int i = 0; i < y->h; i++) {
        const float *from = tips__row(x, n, block, sh * i);
        float *to = tips__row(y, n, block, i);
        if (sh == 2 && sw == 2)
            max_row(from, x->sh, to, y->w, 2, 2);
        else
            max_row(from, x->sh, to, y->w, sh, sw);
    }
}

static inline vi first_maximum(const float *window, ptrdiff_t row, int sh, int sw) {
    vf best = vf_load(window);
    vi at = {0};
    for (int a = 0; a < sh; a++)
        for (int b = 0; b < sw; b++) {
            const vf value = vf_load(window + a * row + (ptrdiff_t)b * B);
            const vi mask = larger(value, best);
            best = vf_select(mask, value, best);
            at = (mask & (a * sw + b)) | (~mask & at);
        }
    return at;
}

typedef struct rows {
    const float *x, *dy;
    float *dx;
    ptrdiff_t x_row, dx_row;
} rows;

static inline void max_diff_row(rows r, int ow, int sh, int sw, bool accumulate) {
    for (int j = 0; j < ow; j++) {
        const ptrdiff_t offset = (ptrdiff_t)j * sw * B;
        const vi at = first_maximum(r.x + offset, r.x_row, sh, sw);
        const vf value = vf_load(r.dy + (ptrdiff_t)j * B);
        for (int a = 0; a < sh; a++)
            for (int b = 0; b < sw; b++) {
                float *to = r.dx + offset + a * r.dx_row + (ptrdiff_t)b * B;
                const vf part = (vf)((vi)value & (at == a * sw + b));
                vf_store(to, accumulate ? vf_load(to) + part : part);
            }
    }
}

static void max_diff_plane(const tips_slot *in, const tips_map *dy, int n, int block, const int stride[2]) {
    const int sh = stride[0], sw = stride[1];
    for (int i = 0; i < dy->h; i++) {
        const rows r = {tips__row(&in->map, n, block, sh * i), tips__row(dy, n, block, i),
                        tips__row(&in->diff, n, block, sh * i), in->map.sh, in->diff.sh};
        if (sh == 2 && sw == 2)
            max_diff_row(r, dy->w, 2, 2, in->accumulate);
        else
            max_diff_row(r, dy->w, sh, sw, in->accumulate);
    }
}

static tips_status forward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    TIPS_PARALLEL_PLANES(y, n, b) max_plane(y, x, n, b, stride);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_slot *in = &op->in[0];
    const tips_map *dy = &op->out[0].diff;
    if (!in->want_diff) return TIPS_OK;
    TIPS_PARALLEL_PLANES(dy, n, b) max_diff_plane(in, dy, n, b, stride);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    REF_CELLS(&op->out[0], n, c, i, j) {
        double best = -INFINITY;
        for (int k = 0; k < stride[0] * stride[1]; k++) best = fmax(best, ref_phase(&op->in[0], stride, k, n, c, i, j));
        *ref_at(&op->out[0], n, c, i, j) = best;
    }
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int *stride = tips__pool_common(node)->stride;
    const tips_operand y = tips__emit_op(to, "MaxPool", TIPS_OPERANDS(tips__emit_in(to, node, 0)),
                                         TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", stride[0], stride[1]),
                                                   TIPS_WITH_PAIR("strides", stride[0], stride[1])));
    tips__emit_out(to, node, 0, y);
    return TIPS_OK;
}

const tips_pool TIPS_ROW(tips__pool_max) = {
    .layer = {.name = "max", .brief = "largest value of each window",
              .flags = TIPS_LAYER_STRIDED_OUT, .options = options, .config_size = sizeof(max_config),
              .shape = tips__pool_shape, .plan = plan, .forward = forward, .backward = backward, .ref = ref,
              .emit = emit, .breaks = tips__pool_fixed_grid, .pools = tips__pool_strides},
    .traits = traits,
};
