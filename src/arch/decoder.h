/* What networks for segmentation share: a backbone under a prefix, and the way back up its levels. */
#ifndef TIPS_ARCH_DECODER_H
#define TIPS_ARCH_DECODER_H

#include "arch/arch.h"

/* Fills in backbone, up and what the backbone fills in; `published` is what auto stands for where no phase is chosen.
 * With an output stride (0: none is asked for), as many of the last stages as need be keep the size. */
tips_status tips__segmenter_resolve(const tips_arch *arch, tips_arch_config *config, tips_up published,
                                    int output_stride) TIPS_MUST_CHECK;
/* The backbone's levels, its nodes named behind `prefix`. */
void tips__segmenter_features(tips_graph *graph, const tips_arch_config *config, const char *prefix, tips_value x,
                              tips_features *out);

/* A decoder at work. */
typedef struct tips_decoder {
    tips_graph *graph;
    const tips_arch_config *config;
    const tips_features *features;
} tips_decoder;

/* x, which has the size of level `from`, enlarged to that of level `to` (0 is the input's) by the configured way. Nodes
 * are called `name`, and `name`.N where there are several. */
tips_value tips__decoder_up(const tips_decoder *d, const char *name, int from, int to, tips_value x);

/* One level up, to `out` channels where a convolution does it; other ways keep those that there are. */
tips_value tips__decoder_up_to(const tips_decoder *d, const char *name, int level, int out, tips_value x);

/* NAME.0 and NAME.1, convolution and norm, and a ReLU. */
typedef struct tips_decoder_conv {
    int out, kernel, dilation; /* 1 if 0 */
} tips_decoder_conv;
tips_value tips__decoder_conv(const tips_decoder *d, const char *conv, const char *norm, tips_value x,
                              tips_decoder_conv c);
/* The last convolution, with a bias. */
tips_value tips__decoder_logits(const tips_decoder *d, const char *name, int kernel, tips_value x);
tips_value tips__decoder_concat(const tips_decoder *d, const char *name, tips_value a, tips_value b);

#endif
