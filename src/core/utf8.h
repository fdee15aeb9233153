/* Reading UTF-8 that may be broken, and how wide it prints. */
#ifndef TIPS_CORE_UTF8_H
#define TIPS_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the valid sequence that `text` starts with (1..4) and its code point; 0 if the bytes are not UTF-8. */
size_t tips__utf8_decode(const char *text, uint32_t *code_point);
/* Terminal columns: combining marks take none, wide East Asian letters two, a broken byte one. */
size_t tips__utf8_width(const char *text);

#endif
