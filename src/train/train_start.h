/* The model that a run starts from (--init), read once, and what options may say of its network. */
#ifndef TIPS_TRAIN_TRAIN_START_H
#define TIPS_TRAIN_TRAIN_START_H

#include "model/model_file.h"
#include "model/model_options.h"
#include "train/settings.h"

typedef struct tips_train_start {
    char *path;
    tips_loaded_model
        model; /* of a .safetensors file its info alone: the weights are matched with the file's tensors */
} tips_train_start;

tips_status tips__train_start_read(const char *path, tips_train_start *out) TIPS_MUST_CHECK;
void tips__train_start_clear(tips_train_start *start);

/* The options that make its network, without what the data decide. */
tips_status tips__train_start_describe(const tips_model_info *info, tips_settings *out) TIPS_MUST_CHECK;
/* Its weights, by name; a classifier of another number of classes is left out. */
tips_status tips__train_start_weights(const tips_train_start *start, tips_params *params) TIPS_MUST_CHECK;

/* A network from elsewhere has the layers of its file. An option of the network that somebody said is refused, with the
 * command that does it; a converted network may be said to have the operator that it has. */
tips_status tips__train_start_refuse(const tips_train_start *start, const char *name,
                                     const char *value) TIPS_MUST_CHECK;
/* The same for options as they came out: those that differ from what the file says. */
tips_status tips__train_start_check(const tips_train_start *start, const tips_model_options *asked) TIPS_MUST_CHECK;

#endif
