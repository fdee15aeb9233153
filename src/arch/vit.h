/* The vision transformers' layout in archs.def. */
#ifndef TIPS_ARCH_VIT_H
#define TIPS_ARCH_VIT_H

#include "arch/arch.h"

/* layout: pixels of a patch's side, layers, width, heads, width of the MLP. */

tips_status tips__vit_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__vit_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                        tips_features *out);
tips_value tips__vit_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                              const tips_features *features);

#endif
