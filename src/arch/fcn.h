/* The fcn family in archs.def. */
#ifndef TIPS_ARCH_FCN_H
#define TIPS_ARCH_FCN_H

#include "arch/arch.h"

tips_status tips__fcn_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__fcn_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                         tips_features *out);
tips_value tips__fcn_segment(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                              const tips_features *features);

#endif
