/* Small models and their logits, for tests of model files. */
#ifndef TIPS_TESTS_RUN_MODEL_H
#define TIPS_TESTS_RUN_MODEL_H

#include "model/model_file.h"

/* What a file says of a network of width 8 with 5 classes and inputs of size x (size + 4). */
tips_model_info make_info(const char *arch, const char *pool, int lpf, int size);

typedef struct test_network {
    tips_model model;
    tips_params *params;
} test_network;

test_network make_network(const tips_model_info *info, uint64_t seed);
void destroy_network(test_network *network);

/* n images (n, c, h, w) to logits (n, classes). */
tips_status run_model(const tips_model *model, tips_params *params, const float *images, int n,
                      float *logits) TIPS_MUST_CHECK;
/* Numbers that any language can make: 16 bits of i * 2654435761, between -1 and 1. */
void make_picture(float *out, size_t count);

#endif
