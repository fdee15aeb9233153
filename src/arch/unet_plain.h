/* The unet_plain family in archs.def. */
#ifndef TIPS_ARCH_UNET_PLAIN_H
#define TIPS_ARCH_UNET_PLAIN_H

#include "arch/arch.h"

tips_status tips__unet_plain_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__unet_plain_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                               tips_features *out);
tips_value tips__unet_plain_segment(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                    const tips_features *features);

#endif
