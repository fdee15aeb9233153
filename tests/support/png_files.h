/* PNG files for tests, written byte by byte: grey, in colour or with a palette, of any bits. */
#ifndef TIPS_TESTS_PNG_FILES_H
#define TIPS_TESTS_PNG_FILES_H

#include "support/data_files.h"

#include <stdbool.h>

enum { PNG_GREY = 0, PNG_COLOUR = 2, PNG_PALETTE = 3 };

typedef struct png_kind {
    int type, bits;         /* PNG_*; bits of a number */
    const uint8_t *palette; /* (colours, 3) */
    int colours;
} png_kind;

/* `numbers` (h, w, 1 or 3), one a byte; of 16 bits they are the upper ones. */
void png_make(png_kind kind, int h, int w, const uint8_t *numbers, data_bytes *out);
void png_write(const char *folder, const char *name, png_kind kind, int h, int w, const uint8_t *numbers);
/* Whether this build reads such files. */
bool png_is_read(void);
/* Grey, 8 bits, all of one value. */
void png_write_plain(const char *folder, const char *name, int h, int w, int value);

#endif
