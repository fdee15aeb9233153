/* max: y[i,j] = the largest value of the sh x sw window. The gradient goes to the first maximum in row-major order,
 * whose place in its window is kept as one byte per output. */
#include "core/threads.h"
#include "emit/emit.h"
#include "pool/pool_parts.h"
#include "pool/pool_ref.h"
#include "tensor/largest.h"

enum { B = TIPS_BLOCK };

typedef struct max_config {
    tips_pool_common common;
} max_config;
TIPS_POOL_CHECK_CONFIG(max_config);

static const tips_option options[] = {TIPS_POOL_BEFORE("none"), {.type = TIPS_OPT_END}};

static unsigned traits(const void *config) {
    (void)config;
    return 0;
}

_Static_assert(TIPS_MAX_PHASES - 1 <= UINT8_MAX, "a place in a window fits into a byte");

static tips_status plan(tips_op *op, tips_plan *out) {
    const tips_map *y = &op->out[0].map;
    if (tips__goes_back(&op->pass)) out->workspace = tips__map_bytes(y->n, y->c, y->h, y->w, NULL) / sizeof(float);
    return TIPS_OK;
}

/* Of the maxima of one row of outputs, in their windows. */
static uint8_t *places(const tips_op *op, int n, int b, int i) {
    const tips_map *y = &op->out[0].map;
    return (uint8_t *)op->workspace + (((size_t)n * y->blocks + b) * y->h + i) * (size_t)y->w * B;
}

static inline __attribute__((always_inline)) void max_row(const float *x, ptrdiff_t row, float *y, uint8_t *place,
                                                          int ow, int sh, int sw) {
    for (int j = 0; j < ow; j++) {
        const float *window = x + (ptrdiff_t)j * sw * B;
        vf_largest l = largest_start(0);
        for (int a = 0; a < sh; a++)
            for (int b = 0; b < sw; b++)
                largest_offer(&l, vf_load(window + a * row + (ptrdiff_t)b * B), (vi){0} + (a * sw + b), place != NULL);
        vf_store(y + (ptrdiff_t)j * B, l.value);
        if (place) vi_store_bytes(place + (ptrdiff_t)j * B, l.at);
    }
}

static inline __attribute__((always_inline)) void max_plane(const tips_op *op, int n, int block, const int stride[2],
                                                            bool keep) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const int sh = stride[0], sw = stride[1];
    for (int i = 0; i < y->h; i++) {
        const float *from = tips__row(x, n, block, sh * i);
        float *to = tips__row(y, n, block, i);
        uint8_t *place = keep ? places(op, n, block, i) : NULL;
        if (sh == 2 && sw == 2)
            max_row(from, x->sh, to, place, y->w, 2, 2);
        else
            max_row(from, x->sh, to, place, y->w, sh, sw);
    }
}

static inline __attribute__((always_inline)) void max_diff_row(const float *dy, const uint8_t *place, float *dx,
                                                               ptrdiff_t row, int ow, int sh, int sw,
                                                               bool accumulate) {
    for (int j = 0; j < ow; j++) {
        const vi at = vi_load_bytes(place + (ptrdiff_t)j * B);
        const vf value = vf_load(dy + (ptrdiff_t)j * B);
        for (int a = 0; a < sh; a++)
            for (int b = 0; b < sw; b++) {
                float *to = dx + (ptrdiff_t)j * sw * B + a * row + (ptrdiff_t)b * B;
                const vf part = (vf)((vi)value & (at == a * sw + b));
                vf_store(to, accumulate ? vf_load(to) + part : part);
            }
    }
}

static void max_diff_plane(const tips_op *op, int n, int block, const int stride[2]) {
    const tips_map *dy = &op->out[0].diff, *dx = &op->in[0].diff;
    const int sh = stride[0], sw = stride[1];
    const bool accumulate = op->in[0].accumulate;
    for (int i = 0; i < dy->h; i++) {
        const float *from = tips__row(dy, n, block, i);
        const uint8_t *place = places(op, n, block, i);
        float *to = tips__row(dx, n, block, sh * i);
        if (sh == 2 && sw == 2)
            max_diff_row(from, place, to, dx->sh, dy->w, 2, 2, accumulate);
        else
            max_diff_row(from, place, to, dx->sh, dy->w, sh, sw, accumulate);
    }
}

static tips_status forward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_map *y = &op->out[0].map;
    if (tips__goes_back(&op->pass)) {
        TIPS_PARALLEL_PLANES(y, n, b) max_plane(op, n, b, stride, true);
    } else {
        TIPS_PARALLEL_PLANES(y, n, b) max_plane(op, n, b, stride, false);
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_map *dy = &op->out[0].diff;
    if (!op->in[0].want_diff) return TIPS_OK;
    TIPS_PARALLEL_PLANES(dy, n, b) max_diff_plane(op, n, b, stride);
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
