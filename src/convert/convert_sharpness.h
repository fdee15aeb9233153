/* How sharply the operators of a converted network start to choose. */
#ifndef TIPS_CONVERT_CONVERT_SHARPNESS_H
#define TIPS_CONVERT_CONVERT_SHARPNESS_H

#include "graph/params.h"

/* Where pictures go in, and what is done to pixels of 0..1 before: three channels, further ones like the last. */
typedef struct tips_convert_input {
    tips_value value;
    float mean[3], std[3];
} tips_convert_input;

/* Sets it by looking at generated pictures. */
tips_status tips__convert_sharpen(const tips_convert_input *input, tips_params *params) TIPS_MUST_CHECK;

#endif
