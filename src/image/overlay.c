/* Masks over pictures. */
#include "image/overlay.h"

#include "core/fail.h"
#include "core/memory.h"
#include "image/mark.h"

#include <assert.h>
#include <string.h>

void tips__overlay(const tips_colours *colours, const uint8_t *mask, int first, tips_image *picture) {
    uint8_t *pixel = picture->pixels;
    assert(picture->c == 3 && colours->count == TIPS_COLOURS);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)picture->h * picture->w; i++, pixel += 3) {
        if (mask[i] < first || mask[i] == TIPS_MASK_IGNORE) continue;
        for (int k = 0; k < 3; k++) pixel[k] = (uint8_t)((pixel[k] + colours->rgb[mask[i]][k]) / 2);
    }
}

tips_status tips__image_in_colour(tips_image *picture) {
    tips_image out;
    if (picture->c == 3) return TIPS_OK;
    TIPS_TRY(tips__image_allocate("a picture", picture->w, picture->h, 3, &out));
    for (ptrdiff_t i = 0; i < (ptrdiff_t)out.h * out.w; i++) memset(out.pixels + 3 * i, picture->pixels[i], 3);
    tips__image_free(picture);
    *picture = out;
    return TIPS_OK;
}
