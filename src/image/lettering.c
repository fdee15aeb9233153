/* Letters of three by five dots. */
#include "image/lettering.h"

#include <stdbool.h>
#include <string.h>

enum { DOTS_WIDE = 3, DOTS_HIGH = 5, ADVANCE = DOTS_WIDE + 1 };

/* A row is three bits, the left one the highest, and an octal digit; the rows come from the top. */
static const unsigned digits[10] = {075557, 026227, 071747, 071717, 055711, 074717, 074757, 071111, 075757, 075717};
static const unsigned letters[26] = {025755, 065656, 034443, 065556, 074647, 074644, 034553, 055755, 072227,
                                     011152, 055655, 044447, 057755, 065555, 025552, 065644, 025563, 065655,
                                     034216, 072222, 055557, 055552, 055775, 055255, 055222, 071247};
static const struct sign {
    char name;
    unsigned shape;
} signs[] = {{' ', 0},      {':', 002020}, {'.', 000002}, {'-', 000700},
             {'_', 000007}, {'%', 051245}, {'/', 011244}, {'+', 002720}};
static const unsigned block = 077777;

static unsigned shape_of(char c) {
    if (c >= '0' && c <= '9') return digits[c - '0'];
    if (c >= 'a' && c <= 'z') return letters[c - 'a'];
    if (c >= 'A' && c <= 'Z') return letters[c - 'A'];
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].name == c) return signs[i].shape;
    return block;
}

/* Whether a byte goes on with a character of UTF-8 that has begun. */
static bool goes_on(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static int characters_in(const char *text) {
    int count = 0;
    for (; *text; text++) count += !goes_on(*text);
    return count;
}

int tips__lettering_height(int scale) { return (DOTS_HIGH + 2) * scale; }

int tips__lettering_width(const char *text, int scale) { return (characters_in(text) * ADVANCE + 1) * scale; }

static void fill(tips_image *picture, int top, int left, int height, int width, const uint8_t rgb[3]) {
    for (int y = top < 0 ? 0 : top; y < top + height && y < picture->h; y++)
        for (int x = left < 0 ? 0 : left; x < left + width && x < picture->w; x++)
            memcpy(picture->pixels + 3 * ((ptrdiff_t)y * picture->w + x), rgb, 3);
}

static void write_shape(tips_image *picture, unsigned shape, int top, int left, int scale, const uint8_t rgb[3]) {
    for (int y = 0; y < DOTS_HIGH; y++)
        for (int x = 0; x < DOTS_WIDE; x++) {
            const int bit = DOTS_WIDE * (DOTS_HIGH - 1 - y) + DOTS_WIDE - 1 - x;
            if (shape >> bit & 1) fill(picture, top + y * scale, left + x * scale, scale, scale, rgb);
        }
}

void tips__lettering(tips_image *picture, const char *text, int top, int left, int scale, const uint8_t rgb[3]) {
    static const uint8_t black[3] = {0, 0, 0}, white[3] = {255, 255, 255};
    const int light = 299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2];
    const uint8_t *ink = light > 128 * 1000 ? black : white;
    fill(picture, top, left, tips__lettering_height(scale), tips__lettering_width(text, scale), rgb);
    for (left += scale; *text; text++) {
        if (goes_on(*text)) continue;
        write_shape(picture, shape_of(*text), top + scale, left, scale, ink);
        left += ADVANCE * scale;
    }
}
