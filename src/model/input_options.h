/* The options on how pictures become a network's input, for models that do not say or say it wrongly. */
#ifndef TIPS_MODEL_INPUT_OPTIONS_H
#define TIPS_MODEL_INPUT_OPTIONS_H

#include <stddef.h>

#include "core/option.h"
#include "core/text.h"
#include "model/model_file.h"
#include "model/model_options.h"

/* What pixel values are before mean and deviation. */
typedef enum tips_pixel_range {
    TIPS_PIXELS_MODEL,
    TIPS_PIXELS_1,
    TIPS_PIXELS_255,
    TIPS_PIXELS_SIGNED
} tips_pixel_range;
extern const char *const tips__pixel_range_names[]; /* "model", "0..1", "0..255", "-1..1", NULL */

/* All zero: as the model says. What is not the default counts, and what was given. */
typedef struct tips_input_options {
    const char *mean, *std; /* "0.485,0.456,0.406", or one number for all channels */
    int range;   /* tips_pixel_range; other than the model's: a mean of 0 and a deviation of 1 unless given */
    bool bgr;    /* the network takes blue, green, red */
    int size[2]; /* height, width */
    int resize;  /* shorter side before the centre crop */
    tips_placement placement; /* instead of it */
    const char *output;       /* of an ONNX file with several: the name of the one that holds the logits */
    const char *boxes;        /* of an ONNX detector: the style of its outputs, "auto" to see; NULL: it may be none */
    const char *labels;       /* file of class names, one a line, in the order of the outputs */
    tips_given given;         /* which of these were set: they count even where they are the default */
} tips_input_options;

extern const tips_option tips__input_rows[];
/* Those of them that say how pixels become numbers: mean, deviation, range and order of channels. */
extern const tips_option tips__normal_rows[];

/* The options of a network with the size of the input's over theirs; 32 where neither has one. */
tips_model_options tips__input_sized(const tips_input_options *input, const tips_model_options *options);
/* Puts what is given over what the model says, in its info alone, or in its info and its preprocessing. */
tips_status tips__input_describe(const tips_input_options *input, tips_model_info *info) TIPS_MUST_CHECK;
tips_status tips__input_apply(const tips_input_options *input, tips_loaded_model *model) TIPS_MUST_CHECK;
/* The options in tips__normal_rows alone, in the info. */
tips_status tips__input_describe_normal(const tips_input_options *input, tips_model_info *info) TIPS_MUST_CHECK;
/* Whether they say mean and deviation, whatever the model says. */
bool tips__input_says_all(const tips_input_options *input);
/* The flags that say the same. */
void tips__input_flags(tips_text *out, const tips_input_options *input);

#endif
