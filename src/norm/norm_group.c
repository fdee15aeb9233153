/* group: the layer group_norm. Narrow networks, and those whose widths are no powers of two, have fewer groups where
 * the number does not divide their channels. */
#include "norm/norm_groups.h"

static int largest_divisor(int number, int most) {
    int divisor = most < number ? most : number;
    while (number % divisor) divisor--;
    return divisor;
}

static tips_value add(tips_graph *graph, const char *name, const void *config, tips_value x) {
    if (x == TIPS_NO_VALUE) return x;
    const int groups = ((const tips_group_norm *)config)->groups;
    return tips__norm_add_groups(graph, name, config, largest_divisor(tips__value(graph, x)->c, groups), x);
}

static const tips_option options[] = {
    {.name = "groups", .type = TIPS_OPT_INT, .offset = offsetof(tips_group_norm, groups), .fallback = "32", .min = 1,
     .max = 1 << 20, .help = "so many at most: the largest number up to it that divides the channels"},
    TIPS_NORM_EPS_ROW(tips_group_norm),
    TIPS_NORM_AFFINE_ROW,
    {.type = TIPS_OPT_END},
};

const tips_norm TIPS_ROW(tips__norm_group) = {
    .name = "group", .brief = "statistics of groups of a sample's channels", .options = options, .add = add};
