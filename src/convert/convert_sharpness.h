/* How sharply the operators of a converted network start to choose. */
#ifndef TIPS_CONVERT_CONVERT_SHARPNESS_H
#define TIPS_CONVERT_CONVERT_SHARPNESS_H

#include "convert/convert_picture.h"
#include "graph/params.h"

/* Sets it by looking at generated pictures. */
tips_status tips__convert_sharpen(const tips_convert_input *input, tips_params *params) TIPS_MUST_CHECK;

#endif
