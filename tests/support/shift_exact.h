/* Is an operator exact under circular shifts? Its phase says how far its own grid has moved. */
#ifndef TIPS_TESTS_SHIFT_EXACT_H
#define TIPS_TESTS_SHIFT_EXACT_H

#include "support/pool_trial.h"

/* For every circular shift of the inputs, in evaluation: every map among the outputs, moved by what the phases imply
 * (or, without phases, by the best of all moves), has 0 differing bits. */
void expect_exact(const pool_trial *p, const pool_setting *s);
/* The largest relative error over all shifts, each undone by the best of all moves. */
double shift_error(const pool_trial *p, const pool_setting *s);

#endif
