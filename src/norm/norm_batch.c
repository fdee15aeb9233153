/* batch: the layer batch_norm, with its options. */
#include "layer/layers.h"
#include "norm/norm.h"

TIPS_NORM_CHECK_CONFIG(tips_batch_norm);

static tips_value add(tips_graph *graph, const char *name, const void *config, tips_value x) {
    return tips__graph_add(graph, &tips__layer_batch_norm, name, config, &x, 1);
}

static const tips_option options[] = {
    {.name = "momentum",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_batch_norm, momentum),
     .fallback = "0.1",
     .min = 1e-6,
     .max = 1,
     .help = "part of a batch in the running statistics"},
    {.name = "eps",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_batch_norm, eps),
     .fallback = "1e-5",
     .min = 1e-12,
     .max = 1,
     .help = "added to the variance"},
    {.name = "frozen",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(tips_batch_norm, frozen),
     .fallback = "false",
     .help = "training leaves weights, biases and running statistics as they are, and uses the latter"},
    {.type = TIPS_OPT_END},
};

const tips_norm TIPS_ROW(tips__norm_batch) = {
    .name = "batch", .brief = "statistics of the batch in training, running ones else", .options = options, .add = add};
