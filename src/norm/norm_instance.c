/* instance: the layer group_norm with as many groups as channels. */
#include "norm/norm_groups.h"

static tips_value add(tips_graph *graph, const char *name, const void *config, tips_value x) {
    return x == TIPS_NO_VALUE ? x : tips__norm_add_groups(graph, name, config, tips__value(graph, x)->c, x);
}

static const tips_option options[] = {
    TIPS_NORM_AFFINE_ROW, TIPS_NORM_EPS_ROW(tips_group_norm), {.type = TIPS_OPT_END}};

const tips_norm TIPS_ROW(tips__norm_instance) = {
    .name = "instance", .brief = "statistics of each channel of a sample", .options = options, .add = add};
