/* Augmentation: another scale on the way to the canvas; flip, crop, shift, in this order and on the canvas, in pixels.
 * What is drawn is a move, and the same move takes the pixels along and tells the targets where they went. */
#include "data/loader_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_AUGMENT = 0x4155, SHIFTED_PART = 8 };
enum {
    DRAW_FLIP,
    DRAW_CROP_Y,
    DRAW_CROP_X,
    DRAW_KIND,
    DRAW_SHIFT_Y,
    DRAW_SHIFT_X,
    DRAW_SCALE,
    DRAW_PLACE_Y,
    DRAW_PLACE_X
};

const char *const tips__shift_kind_names[] = {"none", "standard", "circular", "both", NULL};
const char *const tips__view_kind_names[] = {"apart", "shifted", NULL};

tips_rng tips__loader_stream(const tips_loader_config *config, int purpose, int epoch, int index) {
    const uint64_t place = tips__rng_mix((uint64_t)epoch, (uint64_t)index);
    return (tips_rng){config->seed, tips__rng_mix((uint64_t)purpose, place)};
}

/* Uniform in -most..most. */
static int around_zero(tips_rng rng, int draw, int most) {
    return (int)tips__rng_below(rng, (uint64_t)draw, 2 * (uint32_t)most + 1) - most;
}

bool tips__loader_scales(const tips_augment *a) { return a->scale > 0 && a->scale != 1; }

/* What is larger than the canvas is cropped anywhere, what is smaller lies anywhere on it. */
static void draw_scale(double most, tips_rng rng, tips_move *move) {
    const double least = 1 / most, factor = least + (most - least) * tips__rng_uniform(rng, DRAW_SCALE);
    for (int i = 0; i < 2; i++) {
        const int size = (int)lround(factor * move->resized[i]);
        move->resized[i] = size < 1 ? 1 : size;
        move->scale[i] = 0; /* boxes go as pixels do */
        const int room = move->input[i] - move->resized[i];
        const int place = (int)tips__rng_below(rng, (uint64_t)(DRAW_PLACE_Y + i), (uint32_t)abs(room) + 1);
        move->offset[i] = room < 0 ? -place : place;
    }
}

bool tips__augment_tells_views_apart(const tips_augment *a) {
    if (a->shift != TIPS_SHIFT_NONE) return true;
    return a->views == TIPS_VIEWS_APART && (a->flip || a->crop > 0 || tips__loader_scales(a));
}

/* What views of the kind "shifted" have in common. */
static void draw_placement(const tips_augment *a, tips_rng rng, tips_move *move) {
    if (tips__loader_scales(a)) draw_scale(a->scale, rng, move);
    move->flip = a->flip && tips__rng_below(rng, DRAW_FLIP, 2);
    for (int i = 0; i < 2 && a->crop > 0; i++) move->crop[i] = around_zero(rng, DRAW_CROP_Y + i, a->crop);
}

static void draw_shift(const tips_augment *a, tips_rng rng, bool ahead, tips_move *move) {
    if (a->shift == TIPS_SHIFT_NONE) return;
    move->circular =
        a->shift == TIPS_SHIFT_CIRCULAR || (a->shift == TIPS_SHIFT_BOTH && tips__rng_below(rng, DRAW_KIND, 2));
    for (int i = 0; i < 2; i++) {
        const int most = move->input[i] / SHIFTED_PART, draw = DRAW_SHIFT_Y + i;
        move->shift[i] =
            ahead ? (int)tips__rng_below(rng, (uint64_t)draw, (uint32_t)most + 1) : around_zero(rng, draw, most);
    }
}

void tips__loader_draw(const tips_loader_config *config, int epoch, int index, int view, tips_move *move) {
    const tips_augment *a = &config->augment;
    const bool follow = config->views > 1 && a->views == TIPS_VIEWS_SHIFTED; /* the others follow the first */
    const tips_rng first = tips__loader_stream(config, STREAM_AUGMENT, epoch, index);
    tips_rng own = first;
    if (view > 0) own.stream = tips__rng_mix(first.stream, (uint64_t)view); /* the first is as without views */
    draw_placement(a, follow ? first : own, move);
    if (!follow || view > 0) draw_shift(a, own, follow, move);
}

/* `length` pixels from column `first` on of a row, or of what it is when turned left to right. */
static void copy_row(const tips_preprocess *p, const uint8_t *row, bool turned, int first, int length, uint8_t *out) {
    const size_t pixel = (size_t)p->channels;
    if (!turned) memcpy(out, row + (size_t)first * pixel, (size_t)length * pixel);
    else
        for (int x = 0; x < length; x++)
            memcpy(out + (size_t)x * pixel, row + (size_t)(p->width - 1 - first - x) * pixel, pixel);
}

/* A crop of the padded canvas is the canvas moved, with its surroundings where nothing was. */
static const uint8_t *turn_and_crop(const tips_preprocess *p, const tips_move *move, const uint8_t *canvas,
                                    uint8_t *out) {
    const int dy = move->crop[0], dx = move->crop[1], length = p->width - abs(dx);
    const size_t pixel = (size_t)p->channels, row = (size_t)p->width * pixel;
    if (!move->flip && dy == 0 && dx == 0) return canvas;
    tips__canvas_clear(p, out);
    for (int y = 0; y < p->height; y++)
        if (y - dy >= 0 && y - dy < p->height)
            copy_row(p, canvas + (size_t)(y - dy) * row, move->flip, dx < 0 ? -dx : 0, length,
                     out + (size_t)y * row + (dx > 0 ? (size_t)dx * pixel : 0));
    return out;
}

void tips__loader_apply(const tips_preprocess *p, const tips_move *move, const uint8_t *canvas, uint8_t *moved,
                        float *image) {
    const uint8_t *turned = turn_and_crop(p, move, canvas, moved);
    tips__canvas_to_input(p, turned, move->shift[0], move->shift[1], move->circular, image);
}
