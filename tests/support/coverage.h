/* Simulations of how often intervals hold what they are of; rounds of each case are some hundred times `times`. */
#ifndef TIPS_TESTS_COVERAGE_H
#define TIPS_TESTS_COVERAGE_H

int coverage_run(int times);

#endif
