/* A network to look at: read from a file, or made with random weights from options. */
#ifndef TIPS_MODEL_OPEN_MODEL_H
#define TIPS_MODEL_OPEN_MODEL_H

#include "data/loader.h"
#include "model/model_file.h"
#include "model/input_options.h"
#include "model/model_options.h"

/* The model in file `path`; without one (NULL or "") a network of `options` with random weights and the statistics of
 * natural-like images. `options` also sets the threads. A final softmax is left out. Destroyed by
 * tips__loaded_model_destroy. */
tips_status tips__open_model(const char *path, const tips_model_options *options,
                             tips_loaded_model *out) TIPS_MUST_CHECK;
/* The same with `input` put over what the model says; its size also over that of `options`, and 32 is the size of a
 * network with random weights if neither has one. */
tips_status tips__open_model_with(const char *path, const tips_model_options *options, const tips_input_options *input,
                                  tips_loaded_model *out) TIPS_MUST_CHECK;

#endif
