/* The paper's counts of parameters and arithmetic. */
#include "bench/paper_costs.h"

#include <string.h>

#define TIPS_PAPER_COST(...)
#define TIPS_PAPER_SEGMENTER_COST(...)
#define TIPS_PAPER_NETWORK(arch, stem, classes, counted_on) \
    {#arch, NULL, TIPS_STEM_##stem, classes, counted_on, NULL, 0, 0},
#define TIPS_PAPER_SEGMENTER(arch, backbone, form, width, channels, classes, counted_on) \
    {#arch, #backbone, TIPS_STEM_AUTO, classes, counted_on, form, width, channels},
static const tips_paper_network networks[] = {
#include "bench/paper_costs.def"
};
#undef TIPS_PAPER_COST
#undef TIPS_PAPER_SEGMENTER_COST
#undef TIPS_PAPER_NETWORK
#undef TIPS_PAPER_SEGMENTER

#define TIPS_PAPER_NETWORK(...)
#define TIPS_PAPER_SEGMENTER(...)
#define TIPS_PAPER_COST(arch, pool, parameters, gflop) {#arch, NULL, pool, parameters, gflop},
#define TIPS_PAPER_SEGMENTER_COST(arch, backbone, pool, parameters, gflop) {#arch, #backbone, pool, parameters, gflop},
static const tips_paper_cost costs[] = {
#include "bench/paper_costs.def"
};
#undef TIPS_PAPER_COST
#undef TIPS_PAPER_SEGMENTER_COST
#undef TIPS_PAPER_NETWORK
#undef TIPS_PAPER_SEGMENTER

static bool is_network(const char *name, const char *backbone, const tips_arch *arch, const tips_arch_config *network) {
    if (strcmp(name, arch->name) != 0) return false;
    return !backbone || (network->backbone && strcmp(backbone, network->backbone->name) == 0);
}

const tips_paper_network *tips__paper_network(const tips_arch *arch, const tips_arch_config *network) {
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (is_network(networks[i].arch, networks[i].backbone, arch, network)) return &networks[i];
    return NULL;
}

/* "tips" for "tips-exact": what an operator has descended from comes before the dash. */
static bool descends(const char *name, const char *from) {
    const size_t length = strlen(from);
    return strncmp(name, from, length) == 0 && (name[length] == '\0' || name[length] == '-');
}

const tips_paper_cost *tips__paper_cost(const tips_arch *arch, const tips_arch_config *network) {
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (is_network(costs[i].arch, costs[i].backbone, arch, network) &&
            descends(network->pool.pool->layer.name, costs[i].pool))
            return &costs[i];
    return NULL;
}
