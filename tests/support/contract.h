/* What every layer and operator must keep, whatever it computes. */
#ifndef TIPS_TESTS_CONTRACT_H
#define TIPS_TESTS_CONTRACT_H

#include "support/trial.h"

/* Evaluation: 1 and 2 threads give the same bits. Training: the same for outputs and gradients, unless `loose`: the
 * engine sums the gradients of convolution weights over samples thread by thread, so those agree to rounding only. */
void expect_same_for_threads(const trial *t, bool loose);
/* Evaluation: a sample's bits do not depend on its place in the batch or on the batch's size. */
void expect_same_for_places(const trial *t);
/* The second step, training or evaluation, allocates nothing. */
void expect_no_allocations(const trial *t);
/* Evaluation of numbers makes no NaN, not even in channels that do not exist: net/alarm.h relies on it. */
void expect_no_alarm(const trial *t);
/* Replaying forward parts for the backward pass, or keeping them: the same bits of outputs and gradients. */
void expect_same_for_plans(const trial *t);
/* Gradients of the inputs alone, or of the parameters alone, have the bits that they have beside the others. */
void expect_same_for_wishes(const trial *t);

/* x[i - u] along both axes, for every plane of h x w; out and x do not overlap. */
void roll_planes(const float *x, size_t planes, int h, int w, int uy, int ux, float *out);

#endif
