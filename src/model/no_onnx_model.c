/* Stands in for models in ONNX files where the reader was not built. */
#include "model/model_parts.h"
#include "onnx/onnx_import.h"

#include "core/fail.h"

#ifndef TIPS_HAVE_ONNX

tips_status tips__onnx_model_load(const char *path, const tips_read_as *as, bool training, tips_loaded_model *out) {
    tips_onnx *file;
    (void)as, (void)training, (void)out;
    return tips__onnx_open(path, &file); /* which says what is missing */
}

void tips__onnx_model_origin(const char *path, tips_model_origin *out) { (void)path, (void)out; }

#endif
