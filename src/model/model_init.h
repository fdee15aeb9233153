/* The use case behind `tips init`: a model file with fresh weights. */
#ifndef TIPS_MODEL_MODEL_INIT_H
#define TIPS_MODEL_MODEL_INIT_H

#include "model/input_options.h"
#include "model/model_file.h"
#include "model/model_options.h"

typedef struct tips_init_config {
    tips_model_options model;
    tips_input_options input; /* tips__normal_rows alone; over what the file of weights says */
    const char *weights; /* a file to take weights from, NULL: drawn from the seed */
    bool skip_classifier;
    const char *out;
    tips_model_writer save; /* NULL: tips__model_save */
} tips_init_config;

typedef struct tips_init_result {
    size_t parameters;           /* trainable */
    int loaded, missing, unused; /* tensors, if weights were given */
    tips_input_facts input;
} tips_init_result;

tips_status tips__model_init(const tips_init_config *config, tips_init_result *out) TIPS_MUST_CHECK;

#endif
