/* Detections in words, and as frames on a picture. */
#include "task/detect.h"

#include "image/colours.h"
#include "image/lettering.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SAID = 3, PIXELS_TO_A_LINE = 320 };

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

/* The part of a box that goes over an edge goes on from the other side where the picture is a torus: modulo the size
 * for those that reach beyond it, which clipped ones do not. */
static int around(int at, int size) { return ((at % size) + size) % size; }

static void put(tips_image *picture, int y, int x, const uint8_t rgb[3]) {
    const ptrdiff_t at = (ptrdiff_t)around(y, picture->h) * picture->w + around(x, picture->w);
    for (int k = 0; k < 3; k++) picture->pixels[3 * at + k] = rgb[k];
}

/* Within the box, so that a frame at the border stays on the picture. */
static void draw_frame(tips_image *picture, const tips_detection *d, int line, const uint8_t rgb[3]) {
    const int top = (int)floor(d->y), left = (int)floor(d->x);
    const int bottom = (int)ceil(d->y + d->h) - 1, right = (int)ceil(d->x + d->w) - 1;
    for (int in = 0; in < line && 2 * in <= bottom - top && 2 * in <= right - left; in++) {
        for (int x = left; x <= right; x++) put(picture, top + in, x, rgb), put(picture, bottom - in, x, rgb);
        for (int y = top; y <= bottom; y++) put(picture, y, left + in, rgb), put(picture, y, right - in, rgb);
    }
}

/* Above the frame if there is room, else in its corner. */
static void write_label(tips_image *picture, const tips_detection *d, const char *text, int line,
                        const uint8_t rgb[3]) {
    const int height = tips__lettering_height(line), width = tips__lettering_width(text, line);
    const int top = (int)floor(d->y), left = (int)fmin(floor(d->x), picture->w - width);
    tips__lettering(picture, text, top >= height ? top - height : top > 0 ? top : 0, left > 0 ? left : 0, line, rgb);
}

/* The best last, over the others. */
void tips__detections_draw(const tips_detection *found, int n, double shown, char *const *classes,
                           tips_image *picture) {
    const int line = 1 + (picture->h < picture->w ? picture->h : picture->w) / PIXELS_TO_A_LINE;
    tips_colours colours;
    tips__colours_voc(&colours);
    for (int i = n - 1; i >= 0; i--) {
        const uint8_t *rgb = colours.rgb[found[i].label % (TIPS_COLOURS - 1) + 1];
        char text[80];
        if (found[i].score < shown) continue;
        draw_frame(picture, &found[i], line, rgb);
        if (classes) snprintf(text, sizeof text, "%.64s %.0f", classes[found[i].label], 100 * found[i].score);
        else snprintf(text, sizeof text, "%d:%.0f", found[i].label, 100 * found[i].score);
        write_label(picture, &found[i], text, line, rgb);
    }
}

void tips__detect_draw(const tips_assignment *a, const tips_bytes *answer, tips_image *picture) {
    if (picture->h != a->size[0] || picture->w != a->size[1] || picture->c != 3) return;
    tips__detections_draw(tips__detections(answer), tips__detections_in(answer),
                          tips__detect_config_of(a)->measure.shown, NULL, picture);
}
