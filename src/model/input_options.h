/* The options on how pictures become a network's input, for models that do not say or say it wrongly. */
#ifndef TIPS_MODEL_INPUT_OPTIONS_H
#define TIPS_MODEL_INPUT_OPTIONS_H

#include <stddef.h>

#include "core/option.h"
#include "core/text.h"
#include "model/model_file.h"

/* What pixel values are before mean and deviation. */
typedef enum tips_pixel_range {
    TIPS_PIXELS_MODEL,
    TIPS_PIXELS_1,
    TIPS_PIXELS_255,
    TIPS_PIXELS_SIGNED
} tips_pixel_range;
extern const char *const tips__pixel_range_names[]; /* "model", "0..1", "0..255", "-1..1", NULL */

/* All zero: as the model says. */
typedef struct tips_input_options {
    const char *mean, *std; /* "0.485,0.456,0.406", or one number for all channels */
    int range;          /* tips_pixel_range; other than the model's: a mean of 0 and a deviation of 1 unless given */
    bool bgr;           /* the network takes blue, green, red */
    int size[2];        /* height, width */
    int resize;         /* shorter side before the centre crop */
    const char *labels; /* file of class names, one a line, in the order of the outputs */
} tips_input_options;

/* The rows of a table for `member`, a tips_input_options in `config_type`; the size is a row of its own. */
#define TIPS_INPUT_OPTION_ROWS(config_type, member)                                                                 \
    {.name = "mean",                                                                                                \
     .type = TIPS_OPT_TEXT,                                                                                         \
     .offset = offsetof(config_type, member.mean),                                                                  \
     .metavar = "X[,X,X]",                                                                                          \
     .help = "mean that the model's pixels have taken off, per channel in its order, in units of --range"},         \
        {.name = "std",                                                                                             \
         .type = TIPS_OPT_TEXT,                                                                                     \
         .offset = offsetof(config_type, member.std),                                                               \
         .metavar = "X[,X,X]",                                                                                      \
         .help = "deviation that they are divided by then"},                                                        \
        {.name = "range",                                                                                           \
         .type = TIPS_OPT_CHOICE,                                                                                   \
         .offset = offsetof(config_type, member.range),                                                             \
         .fallback = "model",                                                                                       \
         .choices = tips__pixel_range_names,                                                                        \
         .help = "pixel values before that; unless it is model, mean 0 and deviation 1 where they are not given"},  \
        {.name = "bgr",                                                                                             \
         .type = TIPS_OPT_BOOL,                                                                                     \
         .offset = offsetof(config_type, member.bgr),                                                               \
         .fallback = "false",                                                                                       \
         .help = "the model takes blue, green, red"},                                                               \
        {.name = "resize",                                                                                          \
         .type = TIPS_OPT_INT,                                                                                      \
         .offset = offsetof(config_type, member.resize),                                                            \
         .fallback = "0",                                                                                           \
         .min = 0,                                                                                                  \
         .max = 8192,                                                                                               \
         .help = "shorter side of pictures before the centre is cropped; 0 means as the model says"},               \
    {                                                                                                               \
        .name = "labels", .type = TIPS_OPT_TEXT, .offset = offsetof(config_type, member.labels), .metavar = "FILE", \
        .help = "names of the model's classes, one a line, in the order of its outputs"                             \
    }

#define TIPS_INPUT_SIZE_ROW(config_type, member)                                                              \
    {                                                                                                         \
        .name = "size", .type = TIPS_OPT_PAIR, .offset = offsetof(config_type, member.size), .fallback = "0", \
        .min = 0, .max = 4096, .metavar = "H[xW]",                                                            \
        .help = "height and width of the input in pixels; 0 means the model's own, or 32 without a model"     \
    }

/* Puts what is given over what the model says, in its info and its preprocessing. */
tips_status tips__input_apply(const tips_input_options *input, tips_loaded_model *model) TIPS_MUST_CHECK;
/* The flags that say the same. */
void tips__input_flags(tips_text *out, const tips_input_options *input);

#endif
