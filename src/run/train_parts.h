/* The parts of setting up a run. */
#ifndef TIPS_RUN_TRAIN_PARTS_H
#define TIPS_RUN_TRAIN_PARTS_H

#include "run/train.h"

/* Everything a run is made of. */
typedef struct train_setup {
    const tips_train_config *config;
    tips_dataset *set;
    tips_model_info info;
    tips_preprocess preprocess;
    tips_model model;
    tips_params *params;
    tips_loader *train, *val;
    int batch; /* no more than there are training pictures */
    tips_settings settings;
} train_setup;

/* What a model file says besides its tensors; cleared by tips__model_info_clear. */
tips_status tips__train_read_info(const char *path, tips_model_info *out) TIPS_MUST_CHECK;

/* From the data to the network's input: size, channels, classes with their names, mean and deviation. */
tips_status tips__train_shape(train_setup *s) TIPS_MUST_CHECK;
/* The network, its parameters, and the weights it starts from. */
tips_status tips__train_build(train_setup *s, bool load_weights) TIPS_MUST_CHECK;
/* Writes config.json into the folder. */
tips_status tips__train_write_config(const train_setup *s) TIPS_MUST_CHECK;

#endif
