/* The table of operators. */
#include "onnx/onnx_ops.h"

#include <string.h>

static const onnx_operator operators[] = {
#define ONNX_MAPS(op, map) {#op, tips__onnx_map_##map, NULL},
#define ONNX_FOLDS(op, fold) {#op, NULL, tips__onnx_fold_##fold},
#define ONNX_BOTH(op, map, fold) {#op, tips__onnx_map_##map, tips__onnx_fold_##fold},
#include "onnx_ops.def"
};

const onnx_operator *tips__onnx_operator_find(const char *name) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(operators[i].name, name) == 0) return &operators[i];
    return NULL;
}
