/* U-Net on any backbone: from the deepest level up, each step enlarges the map, joins it with the backbone's own map of
 * that level, and runs two 3x3 convolutions. The finest level is joined with the cifar stem only: with the imagenet
 * stem the networks in use have no map of the input's size. Names are those of segmentation_models_pytorch. */
#include "arch/unet.h"

#include "arch/decoder.h"
#include "arch/parts.h"

#include <stdio.h>

enum { LEAST_CHANNELS = 8 };

tips_status tips__unet_resolve(const tips_arch *arch, tips_arch_config *config) {
    return tips__segmenter_resolve(arch, config, TIPS_UP_NEAREST, 0);
}

void tips__unet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                         tips_features *out) {
    (void)arch;
    tips__segmenter_features(graph, config, "encoder.", x, out);
}

/* Block j of the decoder: from level `from` to the next finer one. */
static tips_value block(const tips_decoder *d, int j, int from, tips_value x) {
    char up[TIPS_PART_NAME], names[4][TIPS_PART_NAME];
    const int quarter = 4 * d->config->width >> j, out = quarter > LEAST_CHANNELS ? quarter : LEAST_CHANNELS;
    const bool joins = from > 1 || d->config->stem == TIPS_STEM_CIFAR;
    for (int i = 0; i < 4; i++)
        snprintf(names[i], sizeof names[i], "decoder.blocks.%d.conv%d.%d", j, i / 2 + 1, i % 2);
    snprintf(up, sizeof up, "decoder.blocks.%d.up", j);
    x = tips__decoder_up(d, up, from, from - 1, x);
    snprintf(up, sizeof up, "decoder.blocks.%d.concat", j);
    if (joins) x = tips__decoder_concat(d, up, x, d->features->levels[from - 1].map);
    x = tips__decoder_conv(d, names[0], names[1], x, (tips_decoder_conv){.out = out, .kernel = 3});
    return tips__decoder_conv(d, names[2], names[3], x, (tips_decoder_conv){.out = out, .kernel = 3});
}

tips_value tips__unet_segment(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                              const tips_features *features) {
    const tips_decoder d = {graph, config, features};
    tips_value x = tips__features_last(features);
    (void)arch;
    for (int level = features->count - 1, j = 0; level > 0; level--, j++) x = block(&d, j, level, x);
    return tips__decoder_logits(&d, "segmentation_head.0", 3, x);
}
