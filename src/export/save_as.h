/* A model in the format that its name says: ONNX where it ends in .onnx, else .safetensors. */
#ifndef TIPS_EXPORT_SAVE_AS_H
#define TIPS_EXPORT_SAVE_AS_H

#include "model/model_file.h"

/* A tips_model_writer. */
tips_status tips__model_save_as(const char *path, const tips_model_info *info,
                                const tips_params *params) TIPS_MUST_CHECK;

#endif
