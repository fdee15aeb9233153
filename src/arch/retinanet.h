/* RetinaNets, for archs.c. */
#ifndef TIPS_ARCH_RETINANET_H
#define TIPS_ARCH_RETINANET_H

#include "arch/detector.h"

tips_status tips__retinanet_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__retinanet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                              tips_features *out);
void tips__retinanet_detect(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                            const tips_features *features, const tips_anchoring *options, tips_detector_ends *out);

#endif
