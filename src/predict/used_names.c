/* A set of texts by their hash. */
#include "predict/used_names.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

static size_t hash(const char *text) {
    uint64_t h = 14695981039346656037u;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)h;
}

/* Where a text is, or would be. */
static char **slot_of(char **slots, size_t capacity, const char *text) {
    size_t at = hash(text) & (capacity - 1);
    while (slots[at] && strcmp(slots[at], text) != 0) at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static tips_status grow(tips_used_names *names) {
    const size_t capacity = names->capacity ? 2 * names->capacity : FIRST_CAPACITY;
    char **slots;
    if (2 * names->count < names->capacity) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&slots, capacity * sizeof *slots, "names of files"));
    for (size_t i = 0; i < names->capacity; i++)
        if (names->slots[i]) *slot_of(slots, capacity, names->slots[i]) = names->slots[i];
    tips__free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return TIPS_OK;
}

tips_status tips__used_names_new(tips_used_names *names, const char *wanted, const char **out) {
    const size_t size = strlen(wanted) + 24;
    char *name;
    TIPS_TRY(grow(names));
    TIPS_TRY(tips__new(&name, size, "a name of a file"));
    snprintf(name, size, "%s", wanted);
    char **slot = slot_of(names->slots, names->capacity, name);
    for (size_t i = 2; *slot; i++) {
        snprintf(name, size, "%s-%zu", wanted, i);
        slot = slot_of(names->slots, names->capacity, name);
    }
    *slot = name;
    names->count++;
    *out = name;
    return TIPS_OK;
}

void tips__used_names_clear(tips_used_names *names) {
    for (size_t i = 0; i < names->capacity; i++) tips__free(names->slots[i]);
    tips__free(names->slots);
    *names = (tips_used_names){0};
}
