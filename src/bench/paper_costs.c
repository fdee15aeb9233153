/* The paper's counts of parameters and arithmetic. */
#include "bench/paper_costs.h"

#include <string.h>

#define TIPS_PAPER_COST(...)
#define TIPS_PAPER_NETWORK(arch, stem, classes, counted_on) {#arch, TIPS_STEM_##stem, classes, counted_on},
static const tips_paper_network networks[] = {
#include "bench/paper_costs.def"
};
#undef TIPS_PAPER_COST
#undef TIPS_PAPER_NETWORK

#define TIPS_PAPER_NETWORK(...)
#define TIPS_PAPER_COST(arch, pool, parameters, gflop) {#arch, pool, parameters, gflop},
static const tips_paper_cost costs[] = {
#include "bench/paper_costs.def"
};
#undef TIPS_PAPER_COST
#undef TIPS_PAPER_NETWORK

const tips_paper_network *tips__paper_network(const char *arch) {
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        if (strcmp(networks[i].arch, arch) == 0) return &networks[i];
    return NULL;
}

/* "tips" for "tips-exact": what an operator has descended from comes before the dash. */
static bool descends(const char *name, const char *from) {
    const size_t length = strlen(from);
    return strncmp(name, from, length) == 0 && (name[length] == '\0' || name[length] == '-');
}

const tips_paper_cost *tips__paper_cost(const char *arch, const tips_pool_spec *pool) {
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].arch, arch) == 0 && descends(pool->pool->layer.name, costs[i].pool)) return &costs[i];
    return NULL;
}
