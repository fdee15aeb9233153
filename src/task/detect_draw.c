/* Detections in words, and as frames on a picture. */
#include "task/detect.h"

#include "image/colours.h"
#include "image/lettering.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SAID = 3, PIXELS_TO_A_LINE = 200 };

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

void tips__detect_colour(int label, uint8_t rgb[3]) {
    tips_colours colours;
    tips__colours_voc(&colours);
    memcpy(rgb, colours.rgb[label % (TIPS_COLOURS - 1) + 1], 3);
}

static int line_of(const tips_image *picture) {
    return 1 + (picture->h < picture->w ? picture->h : picture->w) / PIXELS_TO_A_LINE;
}

/* The best last, over the others. */
void tips__detections_draw(const tips_detection *found, int n, double shown, char *const *classes,
                           tips_image *picture) {
    const int line = line_of(picture);
    for (int i = n - 1; i >= 0; i--) {
        uint8_t rgb[3];
        char text[80];
        if (found[i].score < shown) continue;
        tips__detect_colour(found[i].label, rgb);
        draw_frame(picture, &found[i], line, rgb);
        if (classes) snprintf(text, sizeof text, "%.64s %.0f", classes[found[i].label], 100 * found[i].score);
        else snprintf(text, sizeof text, "%d:%.0f", found[i].label, 100 * found[i].score);
        write_label(picture, &found[i], text, line, rgb);
    }
}

static bool is_input(const tips_assignment *a, const tips_image *picture) {
    return picture->h == a->size[0] && picture->w == a->size[1] && picture->c == 3;
}

void tips__detect_draw(const tips_assignment *a, const tips_bytes *answer, tips_image *picture) {
    if (!is_input(a, picture)) return;
    tips__detections_draw(tips__detections(answer), tips__detections_in(answer),
                          tips__detect_config_of(a)->measure.shown, a->names, picture);
}

void tips__detect_draw_target(const tips_assignment *a, const tips_bytes *target, tips_image *picture) {
    if (!is_input(a, picture)) return;
    for (int i = 0; i < tips__objects_in(target); i++) {
        const tips_object *o = &tips__objects(target)[i];
        const tips_detection box = {o->x, o->y, o->w, o->h, 1, o->label};
        uint8_t rgb[3];
        char text[80];
        tips__detect_colour(o->label, rgb);
        if (a->names) snprintf(text, sizeof text, "%.64s", a->names[o->label]);
        else snprintf(text, sizeof text, "%d", o->label);
        draw_frame(picture, &box, line_of(picture), rgb);
        write_label(picture, &box, text, line_of(picture), rgb);
    }
}

/* Grey and light, and dark where one of the views shows nothing. */
static void fade(tips_answer_at x, tips_answer_at y, tips_image *picture) {
    uint8_t *pixel = picture->pixels;
    for (int i = 0; i < picture->h; i++)
        for (int j = 0; j < picture->w; j++, pixel += 3) {
            bool seen = true;
            for (int v = 0; v < 2; v++) {
                const tips_answer_at *at = v ? &y : &x;
                const int row = i + at->shift[0], column = j + at->shift[1];
                seen = seen && (at->circular || (row >= 0 && row < picture->h && column >= 0 && column < picture->w));
            }
            const int grey = (pixel[0] + 2 * pixel[1] + pixel[2]) / 4;
            memset(pixel, seen ? 128 + grey / 2 : 64 + grey / 4, 3);
        }
}

/* The part that lies on the picture, where that is no torus. */
static bool cut_off(const tips_image *picture, bool circular, tips_detection *d) {
    if (circular) return true;
    const double left = fmax(d->x, 0), top = fmax(d->y, 0), right = fmin(d->x + d->w, picture->w),
                 bottom = fmin(d->y + d->h, picture->h);
    d->x = left, d->y = top, d->w = right - left, d->h = bottom - top;
    return d->w > 0 && d->h > 0;
}

static void draw_view(const tips_jitter_rule *rule, tips_boxes_at x, tips_boxes_at y, const uint8_t kept[3],
                      tips_image *picture) {
    static const uint8_t red[3] = {214, 28, 36};
    for (int i = 0; i < x.n; i++) {
        tips_detection d = x.boxes[i];
        d.x -= x.shift[1], d.y -= x.shift[0];
        if (d.score < rule->shown || !cut_off(picture, x.circular || y.circular, &d)) continue;
        draw_frame(picture, &d, line_of(picture), tips__box_partner(rule, x, y, i) >= 0 ? kept : red);
    }
}

void tips__detect_draw_difference(const tips_assignment *a, tips_answer_at x, tips_answer_at y, tips_image *picture) {
    static const uint8_t before[3] = {96, 96, 96}, after[3] = {30, 90, 200};
    const tips_jitter_rule rule = tips__detect_rule(a);
    if (!is_input(a, picture)) return;
    fade(x, y, picture);
    draw_view(&rule, tips__detect_boxes(y), tips__detect_boxes(x), after, picture);
    draw_view(&rule, tips__detect_boxes(x), tips__detect_boxes(y), before, picture);
}
