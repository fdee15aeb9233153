/* Faster R-CNNs, for archs.c. */
#ifndef TIPS_ARCH_FASTERRCNN_H
#define TIPS_ARCH_FASTERRCNN_H

#include "arch/detector.h"

tips_status tips__fasterrcnn_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__fasterrcnn_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                               tips_features *out);
void tips__fasterrcnn_detect(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                             const tips_features *features, const tips_anchoring *options, tips_detector_ends *out);

#endif
