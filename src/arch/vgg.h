/* The VGG family in archs.def. */
#ifndef TIPS_ARCH_VGG_H
#define TIPS_ARCH_VGG_H

#include "arch/arch.h"

/* layout: whether there are norms, then the convolutions of each of the five blocks. */
tips_status tips__vgg_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__vgg_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                        tips_features *out);
tips_value tips__vgg_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                              const tips_features *features);

#endif
