/* An operator of the caller's own: maps go out as plain floats, one image at a time, and come back. */
#include "pool/pool_custom.h"

#include "core/fail.h"
#include "core/threads.h"
#include "layer/layer_common.h"
#include "pool/pool_parts.h"

typedef struct custom_config {
    tips_pool_common common;
    const tips_custom_pool *pool;
} custom_config;
TIPS_POOL_CHECK_CONFIG(custom_config);

static const tips_option options[] = {{.type = TIPS_OPT_END}};

static const tips_custom_pool *pool_of(const tips_node *node) { return ((const custom_config *)node->config)->pool; }

static unsigned traits(const void *config) {
    return ((const custom_config *)config)->pool->choose ? TIPS_POOL_CHOOSES : 0;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__pool_shape(graph, node));
    if (pool_of(node)->choose && !tips__pool_common(node)->shared) tips__pool_out_phase(graph, node);
    return TIPS_OK;
}

static size_t floats_of(const tips_map *map) {
    const size_t floats = (size_t)map->c * (size_t)map->h * (size_t)map->w;
    return (floats + TIPS_BLOCK - 1) / TIPS_BLOCK * TIPS_BLOCK;
}

static tips_status plan(tips_op *op, tips_plan *out) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const tips_custom_pool *pool = pool_of(op->node);
    if (tips__goes_back(&op->pass) && !pool->backward)
        TIPS_FAIL(TIPS_UNSUPPORTED, "the operator '%s' has no backward function: the network does not train",
                  pool->name);
    out->forward_scratch = tips__thread_bytes(floats_of(x) + floats_of(y));
    out->backward_scratch = tips__thread_bytes(2 * floats_of(x) + floats_of(y));
    out->keep_in = 1;
    if (tips__pool_common(op->node)->shared) out->keep_in |= 1u << 1;
    else if (pool->choose) out->keep_out = 1u << 1;
    return TIPS_OK;
}

static tips_map image_of(const tips_map *map, int n) {
    tips_map one = *map;
    one.n = 1;
    one.data = tips__row(map, n, 0, 0);
    return one;
}

static tips_pool_call call_of(const tips_node *node, int c, int h, int w) {
    const int *stride = tips__pool_common(node)->stride;
    return (tips_pool_call){c, h, w, {stride[0], stride[1]}, pool_of(node)->context};
}

static int32_t *phases_of(const tips_op *op) {
    if (tips__pool_common(op->node)->shared) return op->in[1].index;
    return pool_of(op->node)->choose ? op->out[1].index : NULL;
}

static int phases_in(const tips_pool_call *call) { return call->stride[0] * call->stride[1]; }

static bool is_phase(const tips_pool_call *call, int phase) { return phase >= 0 && phase < phases_in(call); }

static tips_status check_phases(const tips_node *node, const tips_pool_call *call, const int32_t *phase, int n) {
    for (int i = 0; i < n; i++)
        if (!is_phase(call, phase[i]))
            TIPS_FAIL(TIPS_RANGE, "layer '%s': the operator '%s' chose phase %d for image %d; it takes 0..%d",
                      node->name, pool_of(node)->name, (int)phase[i], i, phases_in(call) - 1);
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const tips_custom_pool *pool = pool_of(op->node);
    const tips_pool_call call = call_of(op->node, x->c, x->h, x->w);
    const bool chooses = pool->choose && !tips__pool_common(op->node)->shared;
    int32_t *phase = phases_of(op);
    TIPS_PARALLEL_FOR(n, x->n) {
        float *plain = tips__thread_scratch(op, floats_of(x) + floats_of(y)), *made = plain + floats_of(x);
        const tips_map from = image_of(x, n), to = image_of(y, n);
        tips__map_to_nchw(&from, plain);
        if (chooses) phase[n] = pool->choose(&call, plain);
        if (chooses && !is_phase(&call, phase[n])) continue; /* nothing outside the map is read */
        pool->forward(&call, phase ? phase[n] : 0, plain, made);
        tips__map_from_nchw(&to, made);
    }
    return chooses ? check_phases(op->node, &call, phase, x->n) : TIPS_OK;
}

static void put_diff(const tips_map *dx, bool accumulate, float *plain, float *old) {
    if (accumulate) {
        tips__map_to_nchw(dx, old);
        for (size_t i = 0; i < floats_of(dx); i++) plain[i] += old[i];
    }
    tips__map_from_nchw(dx, plain);
}

static tips_status backward(tips_op *op) {
    const tips_slot *in = &op->in[0];
    const tips_map *x = &in->map, *dy = &op->out[0].diff;
    const tips_custom_pool *pool = pool_of(op->node);
    const tips_pool_call call = call_of(op->node, x->c, x->h, x->w);
    const int32_t *phase = phases_of(op);
    if (!in->want_diff) return TIPS_OK;
    TIPS_PARALLEL_FOR(n, x->n) {
        float *plain = tips__thread_scratch(op, 2 * floats_of(x) + floats_of(dy));
        float *dplain = plain + floats_of(x), *arrived = dplain + floats_of(x);
        const tips_map from = image_of(x, n), at = image_of(dy, n), to = image_of(&in->diff, n);
        tips__map_to_nchw(&from, plain);
        tips__map_to_nchw(&at, arrived);
        memset(dplain, 0, floats_of(x) * sizeof *dplain);
        pool->backward(&call, phase ? phase[n] : 0, plain, arrived, dplain);
        put_diff(&to, in->accumulate, dplain, plain);
    }
    return TIPS_OK;
}

static const tips_pool custom_pool = {
    .layer = {.name = "custom", .brief = "an operator of the program's own", .flags = TIPS_LAYER_STRIDED_OUT,
              .options = options, .config_size = sizeof(custom_config), .shape = shape, .plan = plan,
              .forward = forward, .backward = backward, .breaks = tips__pool_fixed_grid, .pools = tips__pool_strides},
    .traits = traits,
};

tips_status tips__pool_custom_spec(const tips_custom_pool *pool, int lpf, tips_pool_spec *out) {
    const custom_config config = {.pool = pool};
    if (!pool->name || !*pool->name || !pool->forward)
        TIPS_FAIL(TIPS_INVALID, "an operator of one's own has a name and a forward function");
    *out = (tips_pool_spec){.pool = &custom_pool, .lpf = lpf};
    memcpy(out->config.bytes, &config, sizeof config);
    return TIPS_OK;
}

const tips_custom_pool *tips__pool_custom_of(const tips_pool_spec *spec) {
    return spec->pool == &custom_pool ? ((const custom_config *)(const void *)spec->config.bytes)->pool : NULL;
}
