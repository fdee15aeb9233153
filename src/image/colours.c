/* Pictures whose pixels are numbers of colours. */
#include "image/colours.h"

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

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool tips__colour_parse(const char *text, uint8_t rgb[3]) {
    int digits[6];
    for (int i = 0; i < 6; i++) {
        digits[i] = digit(text[i]);
        if (digits[i] < 0) return false;
    }
    for (int k = 0; k < 3; k++) rgb[k] = (uint8_t)(16 * digits[2 * k] + digits[2 * k + 1]);
    return true;
}

void tips__colours_voc(tips_colours *colours) {
    colours->count = TIPS_COLOURS;
    for (int number = 0; number < TIPS_COLOURS; number++)
        for (int k = 0; k < 3; k++) {
            int value = 0;
            for (int bit = 0; 3 * bit + k < 8; bit++) value |= (number >> (3 * bit + k) & 1) << (7 - bit);
            colours->rgb[number][k] = (uint8_t)value;
        }
}
