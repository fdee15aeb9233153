/* Model files of other programs: named as what they are, with the way from there to a file that can be read. */
#ifndef TIPS_EXCHANGE_FOREIGN_MODEL_H
#define TIPS_EXCHANGE_FOREIGN_MODEL_H

#include <tips/status.h>

/* Fails if the file is no regular file, or one of PyTorch, Keras, TensorFlow, TensorRT and so on, told by its first
 * bytes and, where these say nothing, by its name. TIPS_OK says only that it may be ONNX or safetensors. */
tips_status tips__refuse_foreign_model(const char *path) TIPS_MUST_CHECK;

#endif
