/* Where the mean and the deviation of a model's input come from: said by somebody, or guessed because nobody says. A
 * guess stays one, in files too, until somebody says better. */
#ifndef TIPS_MODEL_INPUT_ORIGIN_H
#define TIPS_MODEL_INPUT_ORIGIN_H

#include "core/json.h"
#include "core/warning.h"
#include "image/placement.h"

/* In rising order of doubt. */
typedef enum tips_input_origin {
    TIPS_INPUT_FILE,     /* the model's file says it */
    TIPS_INPUT_GIVEN,    /* an option does */
    TIPS_INPUT_MEASURED, /* of the data that it is trained on */
    TIPS_INPUT_DEFAULT,  /* of networks that were made here, with random weights */
    TIPS_INPUT_STYLE,    /* as detectors of this style are made */
    TIPS_INPUT_GUESSED
} tips_input_origin;
extern const char *const tips__input_origin_names[]; /* "file", "given", ..., NULL */
extern const char *const tips__input_origin_words[]; /* "as its file says" */

extern const float tips__imagenet_mean[3], tips__imagenet_std[3];

/* The same of both; what results carry of the input of their model. */
typedef struct tips_input_facts {
    float mean[3], std[3]; /* of inputs in 0..1, in the order of the channels */
    int channels;
    bool bgr;
    int resize; /* see tips_preprocess */
    bool fit_inside;
    tips_placement placement;
    tips_input_origin mean_from, std_from;
} tips_input_facts;

/* That of the more doubtful one. */
tips_input_origin tips__input_origin(const tips_input_facts *facts);
/* "mean 0.485, 0.456, 0.406 and deviation 0.229, 0.224, 0.225 of pixels in 0..1". */
void tips__input_words(const tips_input_facts *facts, char *out, size_t size);
/* Whether something is guessed, and a sentence that says what, and by which options, which begin with `prefix` ("--" or
 * "--teacher-"), it is said better. */
bool tips__input_guess(const tips_input_facts *facts, const char *prefix, char out[TIPS_WARNING_SIZE]);
/* The same as rules of a tips_input_facts, with "--". */
extern const tips_warning_rule tips__input_rules[];
/* {"mean": [...], "std": [...], "range": "0..1", "bgr": ..., "source": "guessed"}. */
void tips__input_put(tips_json *json, const char *key, const tips_input_facts *facts);

#endif
