/* Masks in lossy files: known by their first bytes, judged by their shades. */
#include "data/mask_lossy.h"

#include "core/fail.h"
#include "data/mask_files.h"

#include <stdio.h>
#include <string.h>

enum { BLACK = 31, WHITE = 224, MOST_PERCENT = 90 };

bool tips__mask_is_lossy(const char *path) {
    unsigned char start[16] = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const size_t count = fread(start, 1, sizeof start, file);
    fclose(file);
    if (count < sizeof start) return false;
    return memcmp(start, "\xff\xd8\xff", 3) == 0 ||
           (memcmp(start, "RIFF", 4) == 0 && memcmp(start + 8, "WEBPVP8 ", 8) == 0);
}

tips_status tips__mask_refuse_lossy(const char *path) {
    TIPS_FAIL(TIPS_FORMAT,
              "%s: is a lossy picture (JPEG), which changes numbers of classes and mixes them at every edge; only "
              "masks of one class, black and white, can be stored so. Store masks of numbers as PNG, made from their "
              "source and not from this file",
              path);
}

int tips__mask_brightness(const tips_image *image, ptrdiff_t i) {
    const uint8_t *p = image->pixels + i * image->c;
    return image->c == 1 ? p[0] : (p[0] * 19595 + p[1] * 38470 + p[2] * 7471 + 0x8000) >> 16;
}

void tips__mask_note_shades(const tips_image *image, tips_mask_shades *s) {
    const ptrdiff_t pixels = (ptrdiff_t)image->h * image->w;
    s->pixels += pixels;
    for (ptrdiff_t i = 0; i < pixels; i++) {
        const int value = tips__mask_brightness(image, i);
        s->ends += value <= BLACK || value >= WHITE;
        s->brightest = value > s->brightest ? value : s->brightest;
    }
}

/* Numbers of classes are dark, all of them, or shades of grey. */
bool tips__mask_is_black_and_white(const tips_mask_shades *s) {
    const bool has_white = s->brightest >= TIPS_MASK_THRESHOLD;
    return (s->brightest == 0 || has_white) && 100 * s->ends >= MOST_PERCENT * s->pixels;
}
