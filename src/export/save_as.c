/* The name says which writer. */
#include "export/save_as.h"

#include "core/path.h"
#include "export/onnx_write.h"

enum { USUAL_OPSET = 11 }; /* as tips export */

tips_status tips__model_save_as(const char *path, const tips_model_info *info, const tips_params *params) {
    const tips_emit_options options = {.opset = USUAL_OPSET};
    tips_onnx_summary summary;
    if (!tips__path_ends(path, ".onnx")) return tips__model_save(path, info, params);
    return tips__onnx_save(path, info, params, &options, &summary);
}
