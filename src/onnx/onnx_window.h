/* Kernel, stride, dilation and padding of convolutions and pooling. */
#ifndef TIPS_ONNX_ONNX_WINDOW_H
#define TIPS_ONNX_ONNX_WINDOW_H

#include "onnx/onnx_importer.h"

typedef struct onnx_window {
    int kernel[2], stride[2], dilation[2];
    tips_padding padding;
} onnx_window;

/* From the attributes of the node at hand for a map of h x w; `kernel` (kh, kw) or NULL: the attribute kernel_shape. */
tips_status tips__onnx_window(const onnx_importer *im, const int64_t *kernel, int64_t h, int64_t w,
                              onnx_window *out) TIPS_MUST_CHECK;

#endif
