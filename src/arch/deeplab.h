/* The deeplab family in archs.def. */
#ifndef TIPS_ARCH_DEEPLAB_H
#define TIPS_ARCH_DEEPLAB_H

#include "arch/arch.h"

/* layout: with a finer level joined in, or without. */
enum { PLUS, PLAIN };

tips_status tips__deeplab_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__deeplab_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                         tips_features *out);
tips_value tips__deeplab_segment(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                              const tips_features *features);

#endif
