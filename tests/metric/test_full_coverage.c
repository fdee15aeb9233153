/* The same as test_coverage.c, with twenty times as many rounds. */
#include "support/coverage.h"

int main(void) { return coverage_run(20); }
