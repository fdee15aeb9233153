/* The option rows that norms over groups of channels share. */
#ifndef TIPS_NORM_NORM_GROUPS_H
#define TIPS_NORM_NORM_GROUPS_H

#include "norm/norm.h"

TIPS_NORM_CHECK_CONFIG(tips_group_norm);

#define TIPS_NORM_EPS_ROW(config_type)                                                                      \
    {.name = "eps", .type = TIPS_OPT_FLOAT, .offset = offsetof(config_type, eps), .fallback = "1e-5",        \
     .min = 1e-12, .max = 1, .help = "added to the variance"}
#define TIPS_NORM_AFFINE_ROW                                                                                \
    {.name = "affine", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_group_norm, affine), .fallback = "true", \
     .help = "a weight and a bias for each channel"}

/* A group_norm with other groups than its config says. */
static inline tips_value tips__norm_add_groups(tips_graph *graph, const char *name, const void *config, int groups,
                                               tips_value x) {
    tips_group_norm own = *(const tips_group_norm *)config;
    own.groups = groups;
    return tips__graph_add(graph, &tips__layer_group_norm, name, &own, &x, 1);
}

#endif
