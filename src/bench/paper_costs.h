/* The paper's counts of parameters and arithmetic, and the networks that have them. */
#ifndef TIPS_BENCH_PAPER_COSTS_H
#define TIPS_BENCH_PAPER_COSTS_H

#include "arch/arch.h"

typedef struct tips_paper_network {
    const char *arch;
    tips_stem stem;
    int classes;            /* of the network that has the paper's parameters; 0: none we know */
    const char *counted_on; /* what its figures were counted on */
} tips_paper_network;

typedef struct tips_paper_cost {
    const char *arch, *pool;
    double parameters; /* millions; 0: not printed */
    double gflop;      /* of one image's forward pass; 0: not printed */
} tips_paper_cost;

/* NULL where the paper has nothing. Its operator TIPS stands beside every one that has descended from it. */
const tips_paper_network *tips__paper_network(const char *arch);
const tips_paper_cost *tips__paper_cost(const char *arch, const tips_pool_spec *pool);

#endif
