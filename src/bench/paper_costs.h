/* The paper's counts of parameters and arithmetic, and the networks that have them. */
#ifndef TIPS_BENCH_PAPER_COSTS_H
#define TIPS_BENCH_PAPER_COSTS_H

#include "arch/arch.h"

typedef struct tips_paper_network {
    const char *arch, *backbone; /* backbone: NULL of networks that are one */
    tips_stem stem;
    int classes;            /* of the network that has the paper's parameters; 0: none we know */
    const char *counted_on; /* what its figures were counted on */
    const char *form;    /* the architecture of that network, if it is another: without a backbone if `width` is set */
    int width, channels; /* of it; 0: the usual */
} tips_paper_network;

typedef struct tips_paper_cost {
    const char *arch, *backbone, *pool;
    double parameters; /* millions; 0: not printed */
    double gflop;      /* of one image's forward pass; 0: not printed */
} tips_paper_cost;

/* NULL where the paper has nothing. Its operator TIPS stands beside every one that has descended from it. */
const tips_paper_network *tips__paper_network(const tips_arch *arch, const tips_arch_config *network);
const tips_paper_cost *tips__paper_cost(const tips_arch *arch, const tips_arch_config *network);

#endif
