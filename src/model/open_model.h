/* A network to look at: read from a file, or made with random weights from options. */
#ifndef TIPS_MODEL_OPEN_MODEL_H
#define TIPS_MODEL_OPEN_MODEL_H

#include "model/input_options.h"
#include "model/model_file.h"
#include "model/model_options.h"

/* The model in file `path`; without one (NULL or "") a network of `options` with random weights and the statistics of
 * natural-like images. `input` counts over what the model says; its size also over that of `options`, and 32 is the
 * size of a network with random weights if neither has one. A final softmax is left out. Destroyed by
 * tips__loaded_model_destroy. */
tips_status tips__open_model(const char *path, const tips_model_options *options, const tips_input_options *input,
                             tips_loaded_model *out) TIPS_MUST_CHECK;
/* What the second kind says of itself, before anything is built: inputs of mean 0.5 and deviation 0.25, small pictures
 * as they are, unless `input` says otherwise. Cleared by tips__model_info_clear. */
tips_status tips__random_model_info(const tips_model_options *options, const tips_input_options *input,
                                    tips_model_info *out) TIPS_MUST_CHECK;

#endif
