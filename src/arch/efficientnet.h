/* The EfficientNet family in archs.def. */
#ifndef TIPS_ARCH_EFFICIENTNET_H
#define TIPS_ARCH_EFFICIENTNET_H

#include "arch/arch.h"

/* layout: tenths of the factors of width and depth and of the dropout; 1: norms have eps 1e-3 and momentum 0.01. */
tips_status tips__efficientnet_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__efficientnet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                                 tips_features *out);
tips_value tips__efficientnet_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                       const tips_features *features);

#endif
