/* Stands in for the ONNX writer where it was not built. */
#include "export/onnx_write.h"

#include "core/fail.h"

#ifndef TIPS_HAVE_ONNX

tips_status tips__onnx_save(const char *path, const tips_model_info *info, const tips_params *params,
                            const tips_emit_options *options, tips_onnx_summary *out) {
    (void)info, (void)params, (void)options, (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED,
              "%s: this program was built without ONNX; it needs protoc-c, libprotobuf-c and onnx.proto "
              "(Debian: libonnx-dev protobuf-c-compiler libprotobuf-c-dev)",
              path);
}

#endif
