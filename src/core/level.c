/* Choosing the level of the kernels, once, before main. */
#include "core/level.h"

#include "core/fail.h"
#include "core/level_start.h"
#include "core/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = TIPS_LEVEL_COUNT, TEXT = 96 };
static const tips_level rows[COUNT] = {TIPS_LEVEL_ROWS}; /* from the lowest */
static const char variable[] = "TIPS_ISA";

static struct {
    int best, used; /* best: -1 where the processor has none */
    char asked[24]; /* for, by the environment; cut */
    bool refused;
    char reason[4 * TEXT];
} choice;

const tips_level *tips__level(void) { return &rows[choice.used]; }
const char *tips__level_reason(void) { return choice.reason; }
bool tips__level_is_held(void) { return choice.used < choice.best; }

/* The highest level that the processor has and, where a name is given, that is called so; -1 if there is none. */
static int find(const char *name) {
    for (int i = COUNT - 1; i >= 0; i--)
        if (tips__processor_has(rows[i].name) && (!name || strcmp(rows[i].name, name) == 0)) return i;
    return -1;
}

/* "a, b and c": the levels that the processor has, from number `most` down. */
static void list_levels(int most, char out[TEXT]) {
    size_t length = 0;
    out[0] = '\0';
    for (int i = most; i >= 0; i--) {
        const char *between = i == most ? "" : i > 0 ? ", " : " and ";
        length += (size_t)snprintf(out + length, TEXT - length, "%s%s", between, rows[i].name);
    }
}

/* The processor may have more than this build knows of. */
static const char *whose_best(void) {
    return choice.best == COUNT - 1 && tips__processor_has_more(rows[COUNT - 1].name) ? "this build" : "this processor";
}

static void explain_best(char *out, size_t size) {
    char others[TEXT];
    list_levels(choice.best - 1, others);
    if (COUNT == 1) snprintf(out, size, "the only level of this build");
    else if (choice.best <= 0) snprintf(out, size, "the best %s has", whose_best());
    else
        snprintf(out, size, "the best %s has (%s %s also there)", whose_best(), others,
                 choice.best == 1 ? "is" : "are");
}

static void explain(void) {
    char *out = choice.reason;
    const size_t size = sizeof choice.reason;
    const bool obeyed = choice.asked[0] && !choice.refused;
    if (tips__level_is_held())
        snprintf(out, size, "because %s=%s; %s has %s", variable, choice.asked, whose_best(), rows[choice.best].name);
    else if (obeyed) snprintf(out, size, "because %s=%s", variable, choice.asked);
    else explain_best(out, size);
    if (choice.refused) {
        const size_t length = strlen(out);
        snprintf(out + length, size - length, "; %s=%s cannot be had", variable, choice.asked);
    }
}

/* Early: constructors of programs may call the library. */
__attribute__((constructor(101))) static void choose(void) {
    const char *asked = getenv(variable);
    choice.best = find(NULL);
    choice.used = choice.best < 0 ? 0 : choice.best;
    if (asked && *asked) {
        const int wanted = find(asked);
        snprintf(choice.asked, sizeof choice.asked, "%s", asked);
        choice.refused = wanted < 0;
        if (wanted >= 0) choice.used = wanted;
    }
    explain();
#if TIPS_LEVEL_COUNT > 1
    tips__level_put(choice.used, COUNT);
#endif
}

tips_status tips__level_check(void) {
    char levels[TEXT];
    list_levels(choice.best, levels);
    if (choice.best < 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "this build has kernels for %s and up, which this processor lacks: build with "
                  "-DTIPS_LEVELS=baseline", rows[0].name);
    if (choice.refused)
        TIPS_FAIL(TIPS_INVALID, "%s is '%s' in the environment; of this build, this processor runs %s: set it to "
                  "%s, or unset it for the best", variable, choice.asked, levels, COUNT == 1 ? "that" : "one of these");
    return TIPS_OK;
}
