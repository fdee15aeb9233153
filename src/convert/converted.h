/* A converted network with the weights of the original. */
#ifndef TIPS_CONVERT_CONVERTED_H
#define TIPS_CONVERT_CONVERTED_H

#include "convert/convert.h"
#include "convert/convert_picture.h"
#include "model/model_file.h"

typedef struct tips_converted {
    tips_model model;
    tips_params *params;
    tips_convert_input input;
} tips_converted;

/* `info` is the original's with the blueprint of the conversion. One that fails needs no destroying. */
tips_status tips__converted_create(const tips_loaded_model *from, const tips_conversion *conversion,
                                   const tips_model_info *info, tips_converted *out) TIPS_MUST_CHECK;
void tips__converted_destroy(tips_converted *converted);

#endif
