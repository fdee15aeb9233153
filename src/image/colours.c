/* Pictures whose pixels are numbers of colours. */
#include "image/image_parts.h"

int tips__colours_channels(const tips_colours *colours) {
    for (int i = 0; i < colours->count; i++) {
        const uint8_t *rgb = colours->rgb[i];
        if (rgb[0] != rgb[1] || rgb[1] != rgb[2]) return 3;
    }
    return 1;
}

bool tips__colours_put(const tips_colours *colours, int number, int y, int x, tips_image *image) {
    if (number >= colours->count) return false;
    uint8_t *pixel = image->pixels + ((size_t)y * (size_t)image->w + (size_t)x) * (size_t)image->c;
    for (int k = 0; k < image->c; k++) pixel[k] = colours->rgb[number][k];
    return true;
}
