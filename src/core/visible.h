/* Names from files, as they may be printed: what would move a cursor or hide text is spelt out. */
#ifndef TIPS_CORE_VISIBLE_H
#define TIPS_CORE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether nothing has to be spelt out. */
bool tips__is_visible(const char *text);
/* Marks after which a text is written the other way round, with all that stands behind it. */
bool tips__turns_direction(uint32_t code_point);
/* Copies as much as fits, with "\n", "\t", "\x1b", "\u202e" for control characters, marks that turn the direction of
 * writing, and bytes that are not UTF-8. Returns the length that all of it has. */
size_t tips__visible(const char *text, char *out, size_t size);

#endif
