/* An exponential moving average of the weights, kept beside them: what a network has learned without the noise of its
 * last steps. Running statistics of norms are averages already and stay as they are. */
#ifndef TIPS_OPTIMIZER_AVERAGE_H
#define TIPS_OPTIMIZER_AVERAGE_H

#include "optimizer/optimizer.h"

/* Room for it behind what the optimiser keeps. */
tips_status tips__average_prepare(const tips_optimizer *optimizer, tips_params *params) TIPS_MUST_CHECK;
/* The average of no step is the weights. */
void tips__average_start(tips_params *params);
/* average = d average + (1 - d) weights with d = min(decay, (1 + step) / (10 + step)): early weights count little. */
void tips__average_step(tips_params *params, double decay, uint64_t step);
/* Average and weights change places, once to look at the average and once more to go on. */
void tips__average_exchange(tips_params *params);

#endif
