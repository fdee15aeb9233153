/* The colours of classes as metadata: six hexadecimal digits each. */
#include "model/model_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DIGITS = 6 };

tips_status tips__class_colours_format(const tips_colours *colours, int count, char **out) {
    const size_t size = (size_t)count * DIGITS + 1;
    if (count > colours->count) TIPS_FAIL(TIPS_INVALID, "%d classes in %d colours", count, colours->count);
    TIPS_TRY(tips__new_zero(out, size, "the colours of classes"));
    for (int i = 0; i < count; i++) {
        const uint8_t *rgb = colours->rgb[i];
        snprintf(*out + (size_t)i * DIGITS, DIGITS + 1, "%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    }
    return TIPS_OK;
}

tips_status tips__class_colours_parse(const char *text, int count, tips_colours *out) {
    tips_colours colours;
    tips__colours_voc(&colours);
    if (count > TIPS_COLOURS || strlen(text) != (size_t)count * DIGITS)
        TIPS_FAIL(TIPS_FORMAT, "tips.class_colours has no six digits for each of %d classes", count);
    for (int i = 0; i < count; i++)
        if (!tips__colour_parse(text + (size_t)i * DIGITS, colours.rgb[i]))
            TIPS_FAIL(TIPS_FORMAT, "tips.class_colours: '%.6s' is not a colour", text + (size_t)i * DIGITS);
    *out = colours;
    return TIPS_OK;
}

tips_colours tips__model_colours(const tips_model_info *info) {
    tips_colours colours = info->class_colours;
    if (colours.count == 0) tips__colours_voc(&colours);
    return colours;
}

int tips__model_first_shown(const tips_model_info *info) {
    const char *name = info->class_names ? info->class_names[0] : NULL;
    return !name || strcasecmp(name, "background") == 0;
}
