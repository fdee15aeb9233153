/* Masks, overlays and the map of flicker as PNG files below the folder --out. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "image/image_write.h"
#include "image/overlay.h"

#include <stdio.h>
#include <string.h>

static const char masks[] = "masks", overlays[] = "overlays";
const char *const tips__predict_mask_folders[] = {masks, overlays, NULL};

tips_status tips__predict_save_mask(predictor *p, predict_item *item, const tips_image *mask, tips_prediction *out) {
    const tips_colours colours = tips__model_colours(&p->model.info);
    const char *stem;
    TIPS_TRY(tips__predict_stem(p, item, &stem));
    TIPS_TRY(tips__predict_name_file(p, masks, stem, &out->mask));
    TIPS_TRY(tips__predict_name_file(p, overlays, stem, &out->overlay));
    TIPS_TRY(tips__image_write_palette_png(out->mask, mask, &colours));
    TIPS_TRY(tips__image_in_colour(&item->picture));
    tips__overlay(&colours, mask->pixels, tips__model_first_shown(&p->model.info), &item->picture);
    return tips__image_write_png(out->overlay, &item->picture);
}

/* Percent as colours: black, violet, orange, light yellow. */
static void ramp(tips_colours *out) {
    static const int stops[][3] = {{0, 0, 4}, {87, 16, 110}, {188, 55, 84}, {249, 142, 9}, {252, 255, 164}};
    enum { PIECES = sizeof stops / sizeof *stops - 1, WHOLE = 100 };
    *out = (tips_colours){.count = TIPS_COLOURS};
    for (int i = 0; i <= WHOLE; i++) {
        const int piece = i == WHOLE ? PIECES - 1 : i * PIECES / WHOLE, along = i * PIECES - piece * WHOLE;
        for (int k = 0; k < 3; k++)
            out->rgb[i][k] = (uint8_t)((stops[piece][k] * (WHOLE - along) + stops[piece + 1][k] * along) / WHOLE);
    }
}

static tips_status make_path(const predictor *p, char **out) {
    const size_t size = strlen(p->config->out) + 16;
    TIPS_TRY(tips__new(out, size, "the name of a file"));
    snprintf(*out, size, "%s/flicker.png", p->config->out);
    return TIPS_OK;
}

tips_status tips__predict_save_flicker(predictor *p, char **path) {
    const predict_flicker *f = &p->flicker;
    tips_colours colours;
    tips_image map;
    TIPS_TRY(make_path(p, path));
    TIPS_TRY(tips__predict_keep_inputs(p->config, *path));
    TIPS_TRY(tips__image_allocate("the map of flicker", f->last.w, f->last.h, 1, &map));
    ramp(&colours);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)map.h * map.w; i++)
        map.pixels[i] =
            f->compared[i] > 0 ? (uint8_t)((200 * (uint64_t)f->changed[i] + f->compared[i]) / (2 * f->compared[i])) : 0;
    const tips_status status = tips__image_write_palette_png(*path, &map, &colours);
    tips__image_free(&map);
    return status;
}
