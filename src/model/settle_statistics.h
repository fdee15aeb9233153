/* Running statistics for networks that were never trained. */
#ifndef TIPS_MODEL_SETTLE_STATISTICS_H
#define TIPS_MODEL_SETTLE_STATISTICS_H

#include "graph/params.h"

/* Sets the running statistics of all batch norms to their mean over a few batches of natural-like images. */
tips_status tips__settle_statistics(const tips_graph *graph, tips_params *params, tips_value input,
                                    uint64_t seed) TIPS_MUST_CHECK;

#endif
