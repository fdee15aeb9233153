/* Gradients of the fast net against central differences of the oracle, in double. */
#ifndef TIPS_TESTS_GRADIENT_H
#define TIPS_TESTS_GRADIENT_H

#include "support/trial.h"

typedef struct gradient_check {
    double tolerance; /* relative to the largest gradient of the tensor */
    int coordinates;  /* drawn of each tensor, or all where it has fewer */
    bool inputs, params;
} gradient_check;

/* L = sum of y * dy over the outputs, plus the weighted losses of the graph. A coordinate is left out where the
 * function is not smooth within the step: another phase is chosen, or the two one-sided slopes disagree. At most a
 * third of the coordinates may be left out. */
void expect_gradients(const trial *t, gradient_check check);

#endif
