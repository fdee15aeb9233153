/* What a map goes through before an operator samples it: dense maxima, means and low-pass filters, in the order given.
 * Each commutes with every shift (circular padding), so it takes nothing from an exact operator. */
#include "layer/layers.h"
#include "pool/pool_parts.h"

#include <string.h>

typedef enum step_kind { NOTHING, MAXIMUM, MEAN, FILTER } step_kind;

/* In the order of TIPS_POOL_BEFORE_NAMES. */
static const struct {
    step_kind kind;
    int size; /* 0: the window of the stride */
} steps[] = {{NOTHING, 0}, {MAXIMUM, 0}, {MAXIMUM, 3}, {MAXIMUM, 5}, {MEAN, 0},   {MEAN, 3},
             {FILTER, 2},  {FILTER, 3},  {FILTER, 4},  {FILTER, 5},  {FILTER, 6}, {FILTER, 7}};

static const char *const names[] = TIPS_POOL_BEFORE_NAMES;
_Static_assert(sizeof names / sizeof *names == sizeof steps / sizeof *steps + 1, "a name for each step");

tips_value tips__pool_filter(tips_graph *graph, const char *name, int size, tips_pad_mode mode, tips_value x) {
    return tips__graph_add(graph, &tips__layer_lpf, name, &(tips_lpf){.size = size, .mode = mode}, &x, 1);
}

static tips_value add_maximum(tips_graph *graph, const char *name, const int window[2], tips_pad_mode mode,
                              tips_value x) {
    const tips_dense_max config = {.kernel = {window[0], window[1]}, .mode = mode};
    return tips__graph_add(graph, &tips__layer_dense_max, name, &config, &x, 1);
}

static tips_value add_mean(tips_graph *graph, const char *name, const int window[2], tips_pad_mode mode, tips_value x) {
    const tips_avg_pool config = {.kernel = {window[0], window[1]}, .stride = {1, 1},
                                  .padding = tips__same_padding(mode, window, (const int[2]){1, 1})};
    return tips__graph_add(graph, &tips__layer_avg_pool, name, &config, &x, 1);
}

/* "pool.max", and "pool.max.2" for one that comes again. */
static void name_step(const char *name, const int *chain, int i, char out[TIPS_POOL_NAME]) {
    char part[32];
    int times = 1;
    for (int k = 0; k < i; k++) times += chain[k] == chain[i];
    snprintf(part, sizeof part, times > 1 ? "%s.%d" : "%s", names[chain[i]], times);
    tips__pool_part(out, name, part);
}

static tips_value add_step(tips_graph *graph, const char *name, const tips_pool_common *common, int step,
                           tips_value x) {
    const int size = steps[step].size;
    const int window[2] = {size ? size : common->stride[0], size ? size : common->stride[1]};
    switch (steps[step].kind) {
    case MAXIMUM: return add_maximum(graph, name, window, common->padding, x);
    case MEAN: return add_mean(graph, name, window, common->padding, x);
    case FILTER: return tips__pool_filter(graph, name, size, common->padding, x);
    case NOTHING: break;
    }
    return x;
}

/* Where nothing is sampled nothing comes before it. */
tips_value tips__pool_before(tips_graph *graph, const char *name, const tips_pool_common *common, tips_value x) {
    if (common->stride[0] * common->stride[1] == 1) return x;
    for (int i = 0; i < TIPS_CHAIN_MOST && x != TIPS_NO_VALUE; i++) {
        char full[TIPS_POOL_NAME];
        name_step(name, common->before, i, full);
        x = add_step(graph, full, common, common->before[i], x);
    }
    return x;
}

tips_pool_spec tips__pool_behind_max(const tips_pool_spec *spec) {
    tips_pool_spec behind = *spec;
    int *left = behind.config.common.before, count = 0;
    memset(left, 0, sizeof behind.config.common.before);
    for (int i = 0; i < TIPS_CHAIN_MOST; i++) {
        const int step = spec->config.common.before[i];
        if (step != 0 && steps[step].kind != MAXIMUM) left[count++] = step;
    }
    return behind;
}
