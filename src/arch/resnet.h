/* The ResNet family's layout in archs.def. */
#ifndef TIPS_ARCH_RESNET_H
#define TIPS_ARCH_RESNET_H

#include "arch/arch.h"

/* layout: block, width, stages, then the blocks of each stage. */
enum { BASIC, BOTTLENECK };

tips_status tips__resnet_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__resnet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                           tips_features *out);
tips_value tips__resnet_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                 const tips_features *features);

#endif
