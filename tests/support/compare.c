/* Comparisons with messages that say which case, which number, and by how much. */
#include "support/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 512 };

static char current[TEXT_SIZE];
static int cases;

void test_case(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(current, sizeof current, fmt, args);
    va_end(args);
    cases++;
}

const char *test_case_name(void) { return current; }

int test_case_count(void) {
    const int count = cases;
    cases = 0;
    return count;
}

void fail_case(const char *fmt, ...) {
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fail_msg("%s: %s", current, text);
    abort(); /* fail_msg does not return, but the compiler cannot know */
}

void expect_ok(tips_status status) {
    if (status != TIPS_OK) fail_case("%s: %s", tips_status_name(status), tips_last_error());
}

static double largest(const double *values, size_t count) {
    double top = 0;
    for (size_t i = 0; i < count; i++) top = fmax(top, fabs(values[i]));
    return top;
}

void expect_close(const char *what, const float *got, const double *want, size_t count, double tolerance) {
    const double limit = tolerance * fmax(largest(want, count), 1e-30);
    for (size_t i = 0; i < count; i++)
        if (!(fabs(got[i] - want[i]) <= limit))
            fail_case("%s[%zu] is %.9g, not %.9g (off by %.2g, allowed %.2g)", what, i, got[i], want[i],
                      fabs(got[i] - want[i]), limit);
}

void expect_close_to_floats(const char *what, const float *got, const float *want, size_t count, double tolerance) {
    double *wide = test_alloc(count * sizeof *wide);
    for (size_t i = 0; i < count; i++) wide[i] = want[i];
    expect_close(what, got, wide, count, tolerance);
    free(wide);
}

void expect_number(const char *what, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance * fmax(fabs(want), 1e-12)))
        fail_case("%s is %.9g, not %.9g (allowed %.2g relative)", what, got, want, tolerance);
}

static int bits_of_difference(float a, float b) {
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return __builtin_popcount(x ^ y);
}

size_t differing_bits(const float *a, const float *b, size_t count) {
    size_t bits = 0;
    for (size_t i = 0; i < count; i++) bits += (size_t)bits_of_difference(a[i], b[i]);
    return bits;
}

void expect_same_bits(const char *what, const float *got, const float *want, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bits_of_difference(got[i], want[i]))
            fail_case("%s[%zu] is %.9g, not bit for bit %.9g (%zu bits of %zu numbers differ)", what, i, got[i],
                      want[i], differing_bits(got, want, count), count);
}

void expect_same_indices(const char *what, const int32_t *got, const int32_t *want, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (got[i] != want[i]) fail_case("%s[%zu] is %d, not %d", what, i, got[i], want[i]);
}

void *test_alloc(size_t bytes) {
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory) fail_msg("no memory for the test itself");
    return memory;
}

float *test_floats(size_t count) { return test_alloc(count * sizeof(float)); }
