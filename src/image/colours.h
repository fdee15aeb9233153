/* Colours by number: palettes of picture files, and the colours that classes are shown in. */
#ifndef TIPS_IMAGE_COLOURS_H
#define TIPS_IMAGE_COLOURS_H

#include "image/image_read.h"

#include <stdbool.h>

enum { TIPS_COLOURS = 256 };

struct tips_colours {
    uint8_t rgb[TIPS_COLOURS][3];
    int count;
};

/* 1 if all of them are grey, else 3. */
int tips__colours_channels(const tips_colours *colours);
/* Sets the pixel at (y, x) to colour `number`; false if there is no such colour. */
bool tips__colours_put(const tips_colours *colours, int number, int y, int x, tips_image *image);
/* Of "804080", or more behind it; false if it does not begin with six hexadecimal digits. */
bool tips__colour_parse(const char *text, uint8_t rgb[3]);
/* The 256 colours of Pascal VOC's masks: the bits of the number, dealt out to red, green and blue. */
void tips__colours_voc(tips_colours *colours);

#endif
