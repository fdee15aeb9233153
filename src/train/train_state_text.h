/* The state in a file's metadata, for the checkpoint. */
#ifndef TIPS_TRAIN_TRAIN_STATE_TEXT_H
#define TIPS_TRAIN_TRAIN_STATE_TEXT_H

#include "exchange/safetensors.h"
#include "train/train_state.h"

tips_status tips__train_state_write(const tips_train_state *state, tips_safetensors_writer *writer) TIPS_MUST_CHECK;
tips_status tips__train_state_read(tips_train_state *state, const tips_safetensors *file,
                                   const char *path) TIPS_MUST_CHECK;

#endif
