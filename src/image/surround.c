/* The colour of nothing. */
#include "image/surround.h"

#include <math.h>
#include <string.h>

static uint8_t nearest_byte(float value) { return (uint8_t)lrintf(fminf(fmaxf(255 * value, 0), 255)); }

tips_surround tips__surround_of(const tips_preprocess *p) {
    tips_surround around = {.is_zero = p->placement.pad == TIPS_PAD_MEAN};
    if (p->placement.pad == TIPS_PAD_GREY) memset(around.colour, TIPS_GREY, sizeof around.colour);
    for (int i = 0; i < p->channels && around.is_zero; i++)
        around.colour[i] = nearest_byte(p->mean[p->bgr ? p->channels - 1 - i : i]);
    return around;
}

void tips__canvas_clear(const tips_preprocess *p, uint8_t *canvas) {
    const tips_surround around = tips__surround_of(p);
    const size_t pixels = (size_t)p->height * (size_t)p->width, channels = (size_t)p->channels;
    if (!around.is_zero) memset(canvas, around.colour[0], pixels * channels);
    else
        for (size_t i = 0; i < pixels; i++) memcpy(canvas + i * channels, around.colour, channels);
}

bool tips__surround_is(const tips_preprocess *p, const tips_surround *around, const uint8_t *pixel) {
    return memcmp(pixel, around->colour, (size_t)p->channels) == 0;
}

void tips__surround_avoid(const tips_preprocess *p, const tips_surround *around, uint8_t *pixels, int count) {
    for (int i = 0; i < count && around->is_zero; i++, pixels += p->channels)
        if (tips__surround_is(p, around, pixels)) pixels[0] = (uint8_t)(pixels[0] < 255 ? pixels[0] + 1 : 254);
}
