/* Placing an operator in a graph: [what comes before], [LPF-n], [extension to a multiple of the stride], the operator's
 * nodes. */
#include "core/fail.h"
#include "layer/layers.h"
#include "pool/pool_parts.h"

void tips__pool_part(char out[TIPS_POOL_NAME], const char *name, const char *part) {
    snprintf(out, TIPS_POOL_NAME, "%s%s%s", name, name[0] ? "." : "", part);
}

static tips_status check_stride(const char *name, const int stride[2]) {
    for (int axis = 0; axis < 2; axis++)
        if (stride[axis] < 1 || stride[axis] > TIPS_MAX_STRIDE)
            TIPS_FAIL(TIPS_RANGE, "%s: a stride is 1..%d on each axis, not %dx%d", name, TIPS_MAX_STRIDE, stride[0],
                      stride[1]);
    return TIPS_OK;
}

static int missing(int size, int stride) { return (stride - size % stride) % stride; }

static tips_value add_extension(tips_graph *graph, const char *name, const tips_pool_common *common, tips_value x) {
    const tips_value_info *info = tips__value(graph, x);
    const tips_pad_config config = {.padding = {.mode = common->padding,
                                                .bottom = missing(info->h, common->stride[0]),
                                                .right = missing(info->w, common->stride[1])},
                                    .extends = true};
    if (config.padding.bottom == 0 && config.padding.right == 0) return x;
    char part[TIPS_POOL_NAME];
    tips__pool_part(part, name, "extend");
    return tips__graph_add(graph, &tips__layer_pad, part, &config, &x, 1);
}

/* An operator that filters takes the size of the LPF as its own option n. */
static void set_filter_size(tips_pool_spec *spec) {
    tips_option row;
    if (spec->lpf > 0 && tips__option_find(spec->pool->layer.options, "n", &row))
        *(int *)(void *)(spec->config.bytes + row.offset) = spec->lpf;
}

static tips_value add_single(tips_graph *graph, const char *name, const tips_pool_spec *spec, tips_value x,
                             const tips_selection *shared, tips_selection *selection) {
    const bool follows = spec->config.common.shared;
    const tips_value in[2] = {x, follows ? shared->phase : TIPS_NO_VALUE};
    const tips_value y = tips__graph_add(graph, &spec->pool->layer, name, &spec->config, in, follows ? 2 : 1);
    if (follows)
        *selection = *shared;
    else if (y != TIPS_NO_VALUE && tips__pool_traits(spec) & TIPS_POOL_CHOOSES)
        selection->phase = tips__graph_sibling(graph, y, 1);
    return y;
}

static tips_value place(tips_graph *graph, const char *name, tips_pool_spec *spec, tips_value x,
                        const tips_selection *shared, tips_selection *selection) {
    const unsigned traits = tips__pool_traits(spec);
    const int *stride = spec->config.common.stride;
    const bool filters = traits & TIPS_POOL_FILTERS;
    x = tips__pool_before(graph, name, &spec->config.common, x);
    if (filters) {
        set_filter_size(spec);
    } else if (spec->lpf > 0) {
        char part[TIPS_POOL_NAME];
        tips__pool_part(part, name, "lpf");
        x = tips__pool_filter(graph, part, spec->lpf, spec->config.common.padding, x);
    }
    if (x == TIPS_NO_VALUE || traits & TIPS_POOL_IDENTITY) return x;
    if (stride[0] == 1 && stride[1] == 1 && !filters && !(traits & TIPS_POOL_STAYS)) return x;
    if (!filters) x = add_extension(graph, name, &spec->config.common, x);
    if (x == TIPS_NO_VALUE) return x;
    spec->config.common.shared = traits & TIPS_POOL_CHOOSES && shared && shared->phase != TIPS_NO_VALUE;
    if (!spec->pool->build) return add_single(graph, name, spec, x, shared, selection);
    return spec->pool->build(graph, spec->pool, name, &spec->config, x, shared, selection);
}

tips_value tips__pool_add(tips_graph *graph, const char *name, const tips_pool_spec *spec, const int stride[2],
                          tips_pad_mode padding, tips_value x, const tips_selection *shared,
                          tips_selection *selection) {
    tips_pool_spec placed = *spec;
    tips_selection chosen = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    if (selection) *selection = chosen;
    if (x == TIPS_NO_VALUE) return x;
    const tips_status status = check_stride(name, stride);
    if (status != TIPS_OK) {
        tips__graph_fail(graph, status);
        return TIPS_NO_VALUE;
    }
    placed.config.common.stride[0] = stride[0];
    placed.config.common.stride[1] = stride[1];
    placed.config.common.padding = padding;
    const tips_value y = place(graph, name, &placed, x, shared, &chosen);
    if (selection) *selection = chosen;
    return y;
}
