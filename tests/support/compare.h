/* Comparing numbers in tests: to a tolerance relative to the largest value, or bit by bit. Failures name the case. */
#ifndef TIPS_TESTS_COMPARE_H
#define TIPS_TESTS_COMPARE_H

#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

/* cmocka wants these before its own header. */
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* What is being tested now; every failure below begins with it. */
void test_case(const char *fmt, ...) TIPS_PRINTF(1, 2);
const char *test_case_name(void);
/* Cases since the last call; for the closing line of a test. */
int test_case_count(void);
void fail_case(const char *fmt, ...) TIPS_PRINTF(1, 2);

/* The status must be TIPS_OK, else the text of the error is shown. */
void expect_ok(tips_status status);

/* |got - want| <= tolerance * max |want| for all, and no NaN. */
void expect_close(const char *what, const float *got, const double *want, size_t count, double tolerance);
void expect_close_to_floats(const char *what, const float *got, const float *want, size_t count, double tolerance);
void expect_number(const char *what, double got, double want, double tolerance);

/* As fmax, which in loops over floats as doubles makes GCC 12.2 for ARM64 break off. */
static inline double test_larger(double a, double b) { return b > a ? b : a; }

size_t differing_bits(const float *a, const float *b, size_t count);
void expect_same_bits(const char *what, const float *got, const float *want, size_t count);
void expect_same_indices(const char *what, const int32_t *got, const int32_t *want, size_t count);

/* Memory that must be there: fails the test otherwise. */
void *test_alloc(size_t bytes);
float *test_floats(size_t count);

#endif
