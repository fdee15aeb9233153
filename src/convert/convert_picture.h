/* Generated pictures as a network wants them, to see what a conversion does to it. */
#ifndef TIPS_CONVERT_CONVERT_PICTURE_H
#define TIPS_CONVERT_CONVERT_PICTURE_H

#include "graph/graph.h"

enum { TIPS_CONVERT_PICTURES = 9 };

/* Where pictures go in, and what is done to pixels of 0..1 before: three channels, further ones like the last. */
typedef struct tips_convert_input {
    tips_value value;
    float mean[3], std[3];
} tips_convert_input;

/* Picture 0 .. TIPS_CONVERT_PICTURES - 1, of the input's size (c, h, w). */
void tips__convert_picture(const tips_value_info *info, const tips_convert_input *input, int picture, float *out);

#endif
