/* From public options to those of the command: the same rows give defaults, ranges and messages. */
#include "api/network_parts.h"

#include "core/fail.h"

#include <stdio.h>

/* `field` is what the public struct calls it. */
static tips_status set_text(tips_model_options *out, const char *row, const char *field, const char *text) {
    tips_option found;
    if (!text || !tips__option_find(tips__model_rows, row, &found)) return TIPS_OK;
    return tips__option_set(&found, out, text, field);
}

static tips_status set_number(tips_model_options *out, const char *row, const char *field, int value) {
    char text[16];
    if (value == 0) return TIPS_OK;
    snprintf(text, sizeof text, "%d", value);
    return set_text(out, row, field, text);
}

static tips_status set_size(tips_model_options *out, int height, int width) {
    char text[32];
    if (height == 0) height = out->size[0];
    if (width == 0) width = height;
    snprintf(text, sizeof text, "%dx%d", height, width);
    return set_text(out, "size", "height and width", text);
}

tips_status tips__network_options_read(const tips_network_options *o, tips_model_options *out) {
    static const tips_network_options defaults = {0};
    tips_model_options m = {0};
    if (!o) o = &defaults;
    TIPS_TRY(tips__options_defaults(tips__model_rows, &m));
    TIPS_TRY(set_text(&m, "arch", "arch", o->arch));
    TIPS_TRY(set_text(&m, "pool", "pool", o->pool));
    TIPS_TRY(set_text(&m, "padding", "padding", o->padding));
    TIPS_TRY(set_text(&m, "stem", "stem", o->stem));
    TIPS_TRY(set_number(&m, "lpf", "lpf", o->lpf));
    TIPS_TRY(set_number(&m, "channels", "channels", o->channels));
    TIPS_TRY(set_size(&m, o->height, o->width));
    TIPS_TRY(set_number(&m, "classes", "classes", o->classes));
    TIPS_TRY(set_number(&m, "width", "first_width", o->first_width));
    TIPS_TRY(set_number(&m, "down", "down", o->down));
    TIPS_TRY(set_number(&m, "seed", "seed", o->seed));
    *out = m;
    return TIPS_OK;
}
