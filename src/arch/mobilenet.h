/* The three generations of MobileNets in archs.def. */
#ifndef TIPS_ARCH_MOBILENET_H
#define TIPS_ARCH_MOBILENET_H

#include "arch/arch.h"

/* layout of the first two: channels of the first convolution; of the third: which. */
enum { LARGE, SMALL };

tips_status tips__mobilenet_v1_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__mobilenet_v1_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                                 tips_features *out);
tips_value tips__mobilenet_v1_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                       const tips_features *features);

tips_status tips__mobilenet_v2_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__mobilenet_v2_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                                 tips_features *out);
tips_value tips__mobilenet_v2_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                       const tips_features *features);

tips_status tips__mobilenet_v3_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__mobilenet_v3_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                                 tips_features *out);
tips_value tips__mobilenet_v3_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                       const tips_features *features);

#endif
