/* Detections in words, and as frames on a picture. */
#include "task/detect.h"

#include "image/colours.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SAID = 3 };

void tips__detect_say(const tips_assignment *a, const tips_bytes *answer, char *const *classes, tips_text *out) {
    const double shown = tips__detect_config_of(a)->measure.shown;
    const tips_detection *found = tips__detections(answer);
    int count = 0;
    for (int i = 0; i < tips__detections_in(answer) && found[i].score >= shown; i++, count++) {
        if (count >= MOST_SAID) continue;
        tips__text_add(out, count ? ", " : "");
        if (classes) tips__text_add(out, classes[found[i].label]);
        else tips__text_print(out, "class %d", found[i].label);
        tips__text_print(out, " %.0f %%", 100 * found[i].score);
    }
    if (count > MOST_SAID) tips__text_print(out, ", %d more", count - MOST_SAID);
    if (count == 0) tips__text_add(out, "nothing");
}

/* A row of a character is three bits, the left one the highest, and the rows come from the top. */
enum { GLYPH_W = 3, GLYPH_H = 5 };
static const unsigned glyphs[] = {075557, 026227, 071747, 071717, 055711, 074717, 074757, 071111, 075757, 075717};
static const unsigned glyph_colon = 002020;

static void put(tips_image *picture, int y, int x, const uint8_t rgb[3]) {
    if (y < 0 || x < 0 || y >= picture->h || x >= picture->w) return;
    for (int k = 0; k < 3; k++) picture->pixels[3 * ((ptrdiff_t)y * picture->w + x) + k] = rgb[k];
}

static void write_text(tips_image *picture, const char *text, int top, int left, const uint8_t rgb[3]) {
    static const uint8_t black[3] = {0, 0, 0};
    for (; *text; text++, left += GLYPH_W + 1) {
        const unsigned glyph = *text == ':' ? glyph_colon : glyphs[*text - '0'];
        for (int y = -1; y <= GLYPH_H; y++)
            for (int x = -1; x <= GLYPH_W; x++) {
                const bool inside = y >= 0 && y < GLYPH_H && x >= 0 && x < GLYPH_W;
                const int bit = 3 * (GLYPH_H - 1 - y) + GLYPH_W - 1 - x;
                put(picture, top + y, left + x, inside && glyph >> bit & 1 ? rgb : black);
            }
    }
}

/* The part of a box that goes over an edge goes on from the other side where the picture is a torus: modulo the size
 * for those that reach beyond it, which clipped ones do not. */
static int around(int at, int size) { return ((at % size) + size) % size; }

static void draw_frame(tips_image *picture, const tips_detection *d, const uint8_t rgb[3]) {
    const int top = (int)floor(d->y), left = (int)floor(d->x);
    const int bottom = (int)ceil(d->y + d->h) - 1, right = (int)ceil(d->x + d->w) - 1;
    for (int x = left; x <= right; x++) {
        put(picture, around(top, picture->h), around(x, picture->w), rgb);
        put(picture, around(bottom, picture->h), around(x, picture->w), rgb);
    }
    for (int y = top; y <= bottom; y++) {
        put(picture, around(y, picture->h), around(left, picture->w), rgb);
        put(picture, around(y, picture->h), around(right, picture->w), rgb);
    }
}

/* The best last, over the others. */
void tips__detect_draw(const tips_assignment *a, const tips_bytes *answer, tips_image *picture) {
    const double shown = tips__detect_config_of(a)->measure.shown;
    const tips_detection *found = tips__detections(answer);
    tips_colours colours;
    if (picture->h != a->size[0] || picture->w != a->size[1] || picture->c != 3) return;
    tips__colours_voc(&colours);
    for (int i = tips__detections_in(answer) - 1; i >= 0; i--) {
        const uint8_t *rgb = colours.rgb[found[i].label % (TIPS_COLOURS - 1) + 1];
        char text[32];
        if (found[i].score < shown) continue;
        draw_frame(picture, &found[i], rgb);
        snprintf(text, sizeof text, "%d:%.0f", found[i].label, 100 * found[i].score);
        write_text(picture, text, (int)fmax(found[i].y, 0) + 2, (int)fmax(found[i].x, 0) + 2, rgb);
    }
}
