/* The block that MobileNetV2, MobileNetV3 and EfficientNet share: 1x1 convolution to more channels, depthwise one,
 * [operator], [squeeze and excitation], 1x1 convolution to fewer channels, and a shortcut where shapes allow. */
#ifndef TIPS_ARCH_INVERTED_RESIDUAL_H
#define TIPS_ARCH_INVERTED_RESIDUAL_H

#include "arch/parts.h"

typedef struct tips_inverted_residual {
    int expanded, out, kernel;
    bool expands; /* has the first convolution; else `expanded` are the input's channels */
    bool strided; /* in the published network: no shortcut, whether it downsamples here or not */
    bool down;
    tips_activation activation;
    tips_part_squeeze squeeze;
    double drop_path;    /* probability */
    const char *part;    /* "block" or "conv": its parts are PREFIX part.0, part.1 and so on */
    bool flat_projection; /* the last convolution and its norm are parts of their own, not part.K.0 and part.K.1 */
} tips_inverted_residual;

tips_value tips__inverted_residual(const tips_builder *b, const tips_inverted_residual *block, tips_value x);

#endif
