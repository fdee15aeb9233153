/* Which shifts are tried: all of them, or some drawn evenly without repetition. */
#include "verify/verify_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_SHIFTS = 23 };

static tips_status read_count(const char *text, int all, int *out) {
    char *end;
    if (strcmp(text, "all") == 0) {
        *out = all;
        return TIPS_OK;
    }
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0')
        TIPS_FAIL(TIPS_INVALID, "--shifts: '%s' is not a number; it takes all or 1..%d", text, all);
    if (errno == ERANGE || value < 1 || value > all)
        TIPS_FAIL(TIPS_RANGE, "--shifts: %s is out of range; inputs of this size have %d shifts: it takes all or 1..%d",
                  text, all, all);
    *out = (int)value;
    return TIPS_OK;
}

static void swap(int *a, int *b) {
    const int kept = *a;
    *a = *b;
    *b = kept;
}

/* Brings shift number `number` to place `at` of the order; later places are free. */
static int bring(int *order, int all, int at, int number) {
    for (int i = at; i < all; i++) {
        if (order[i] != number) continue;
        swap(&order[at], &order[i]);
        return at + 1;
    }
    return at;
}

/* The first `count` places of a random order that begins with the one-pixel shifts. */
static void draw(int *order, int all, int count, int h, int w, uint64_t seed) {
    const tips_rng rng = {seed, STREAM_SHIFTS};
    int at = 0;
    at = bring(order, all, at, 1 % w);
    at = bring(order, all, at, 1 % h * w);
    at = bring(order, all, at, 1 % h * w + 1 % w);
    for (; at < count; at++)
        swap(&order[at], &order[at + (int)tips__rng_below(rng, (uint64_t)at, (uint32_t)(all - at))]);
}

tips_status tips__verify_shifts(const char *text, int h, int w, uint64_t seed, int (**out)[2], int *out_count) {
    int count = 0, *order, (*shifts)[2];
    const int all = h * w;
    TIPS_TRY(read_count(text, all, &count));
    TIPS_TRY(tips__new(&order, (size_t)all * sizeof *order, "the shifts"));
    const tips_status status = tips__new(&shifts, (size_t)count * sizeof *shifts, "the shifts");
    if (status != TIPS_OK) {
        tips__free(order);
        return status;
    }
    for (int i = 0; i < all; i++) order[i] = i;
    if (count < all) draw(order, all, count, h, w, seed);
    for (int i = 0; i < count; i++) {
        shifts[i][0] = order[i] / w;
        shifts[i][1] = order[i] % w;
    }
    tips__free(order);
    *out = shifts;
    *out_count = count;
    return TIPS_OK;
}
