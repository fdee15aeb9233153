/* Ten steps of the tiny network against PyTorch: the losses of every step, the final parameters and logits. */
#ifndef TIPS_TESTS_GOLDEN_STEPS_H
#define TIPS_TESTS_GOLDEN_STEPS_H

#include "optimizer/optimizer.h"
#include "support/golden.h"

/* The optimiser that a case is about, and its rates; 0 where the case says nothing. */
tips_optimizer_spec golden_optimizer(const golden *g);
tips_learning golden_learning(const golden *g);

/* Takes the steps of file tests/golden/<name>.golden and compares. Rounding grows over ten steps, which the tolerances
 * allow for. */
void golden_steps(const char *name);

#endif
