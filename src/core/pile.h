/* Many strings of bytes, one behind the other: appended, read by number, thrown away together. */
#ifndef TIPS_CORE_PILE_H
#define TIPS_CORE_PILE_H

#include "core/bytes.h"

typedef struct tips_pile {
    tips_bytes bytes;  /* all of them, each aligned for any type */
    size_t *starts;    /* (count): where each begins */
    int count, capacity;
} tips_pile;

/* Copies the bytes to the end. */
tips_status tips__pile_add(tips_pile *pile, const tips_bytes *item) TIPS_MUST_CHECK;
/* Item i, borrowed until the next one is added. */
tips_bytes tips__pile_at(const tips_pile *pile, int i);
void tips__pile_empty(tips_pile *pile); /* keeps the memory */
void tips__pile_clear(tips_pile *pile);

#endif
