/* A model from a file whose output are logits, at the input size that is asked for. */
#ifndef TIPS_MODEL_OPEN_LOGITS_H
#define TIPS_MODEL_OPEN_LOGITS_H

#include "model/model_file.h"

/* `size` (height, width) may be NULL or 0 for the file's own; pictures are then resized in proportion. A final softmax
 * is left out. Destroyed by tips__loaded_model_destroy. */
tips_status tips__open_logits_as(const char *path, const tips_read_as *as, tips_loaded_model *out) TIPS_MUST_CHECK;
tips_status tips__open_logits(const char *path, const int size[2], tips_loaded_model *out) TIPS_MUST_CHECK;

#endif
