/* A text that grows. The first failure sticks and shows at the end, so that callers write without checking each piece.
 */
#ifndef TIPS_CORE_TEXT_H
#define TIPS_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <tips/status.h>

typedef struct tips_text {
    char *data; /* (length + 1), terminated; NULL while nothing was added */
    size_t length, capacity;
    bool failed;
} tips_text;

void tips__text_add(tips_text *text, const char *piece);
void tips__text_add_bytes(tips_text *text, const char *bytes, size_t count);
/* Not for numbers with a point: see tips__text_fixed. */
void tips__text_print(tips_text *text, const char *fmt, ...) TIPS_PRINTF(2, 3);
/* With up to six decimals and a point in every locale; "-0" does not occur, what is not finite is a dash. */
void tips__text_fixed(tips_text *text, double value, int decimals);
/* With as few decimals as tell the value apart at that many: 12.50 is 12.5. */
void tips__text_short(tips_text *text, double value, int decimals);
/* A word for the shell: quoted if it has to be. */
void tips__text_word(tips_text *text, const char *word);

void tips__text_base64(tips_text *text, const void *bytes, size_t count);

/* TIPS_MEMORY if a piece is missing. */
tips_status tips__text_check(const tips_text *text) TIPS_MUST_CHECK;
void tips__text_clear(tips_text *text);

#endif
