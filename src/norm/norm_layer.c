/* layer: the layer group_norm with one group, so that statistics go over channels and positions of a sample. */
#include "norm/norm_groups.h"

static tips_value add(tips_graph *graph, const char *name, const void *config, tips_value x) {
    return tips__norm_add_groups(graph, name, config, 1, x);
}

static const tips_option options[] = {
    TIPS_NORM_EPS_ROW(tips_group_norm), TIPS_NORM_AFFINE_ROW, {.type = TIPS_OPT_END}};

const tips_norm TIPS_ROW(tips__norm_layer) = {
    .name = "layer", .brief = "statistics of a sample over all channels and positions", .options = options, .add = add};
