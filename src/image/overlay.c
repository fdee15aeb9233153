/* Masks over pictures. */
#include "image/overlay.h"

#include "image/mark.h"

#include <assert.h>

void tips__overlay(const tips_colours *colours, const uint8_t *mask, int first, tips_image *picture) {
    uint8_t *pixel = picture->pixels;
    assert(picture->c == 3 && colours->count == TIPS_COLOURS);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)picture->h * picture->w; i++, pixel += 3) {
        if (mask[i] < first || mask[i] == TIPS_MASK_IGNORE) continue;
        for (int k = 0; k < 3; k++) pixel[k] = (uint8_t)((pixel[k] + colours->rgb[mask[i]][k]) / 2);
    }
}
