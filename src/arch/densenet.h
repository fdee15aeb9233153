/* The DenseNet family in archs.def. */
#ifndef TIPS_ARCH_DENSENET_H
#define TIPS_ARCH_DENSENET_H

#include "arch/arch.h"

/* layout: growth, channels of the first convolution, blocks, then the layers of each. Three blocks: small pictures. */
tips_status tips__densenet_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__densenet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                             tips_features *out);
tips_value tips__densenet_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                   const tips_features *features);

#endif
