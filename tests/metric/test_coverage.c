/* Intervals hold the true figure about 95 times in a hundred: shares, means, ratios, average precision, correlations
 * and differences, of few and of skewed pictures; test_full_coverage.c has more rounds. */
#include "support/coverage.h"

int main(void) { return coverage_run(1); }
