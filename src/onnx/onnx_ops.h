/* The functions behind onnx_ops.def. */
#ifndef TIPS_ONNX_ONNX_OPS_H
#define TIPS_ONNX_ONNX_OPS_H

#include "onnx/onnx_importer.h"

#define ONNX_MAPS(op, map) tips_status tips__onnx_map_##map(onnx_importer *im) TIPS_MUST_CHECK;
#define ONNX_FOLDS(op, fold) tips_status tips__onnx_fold_##fold(onnx_importer *im, onnx_tensor *out) TIPS_MUST_CHECK;
#define ONNX_BOTH(op, map, fold) ONNX_MAPS(op, map) ONNX_FOLDS(op, fold)
#include "onnx_ops.def"
#undef ONNX_MAPS
#undef ONNX_FOLDS
#undef ONNX_BOTH

#endif
