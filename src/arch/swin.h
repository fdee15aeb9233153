/* The Swin transformers' layout in archs.def. */
#ifndef TIPS_ARCH_SWIN_H
#define TIPS_ARCH_SWIN_H

#include "arch/arch.h"

/* layout: pixels of a patch's side, tokens of a window's side, width, channels of a head, stages, then the blocks of
 * each stage. */

tips_status tips__swin_resolve(const tips_arch *arch, tips_arch_config *config);
void tips__swin_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                         tips_features *out);
tips_value tips__swin_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                               const tips_features *features);

#endif
