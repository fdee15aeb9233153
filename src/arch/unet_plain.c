/* The U-Net without a backbone: pairs of 3x3 convolutions, a maximum by 2 between them on the way down, which operators
 * take the place of, and a transposed convolution that halves the channels on the way up, joined with the map of that
 * level. Names are those of milesial's implementation. */
#include "arch/unet_plain.h"

#include "arch/decoder.h"
#include "arch/parts.h"
#include "core/fail.h"

#include <stdio.h>

enum { OWN_WIDTH = 64, OWN_DOWN = 4, MOST_DOWN = 5 };

tips_status tips__unet_plain_resolve(const tips_arch *arch, tips_arch_config *config) {
    TIPS_TRY(tips__no_depth(arch, config));
    if (config->backbone)
        TIPS_FAIL(TIPS_INVALID, "%s has no backbone: unet has, with --backbone %s", arch->name, config->backbone->name);
    if (config->width == 0) config->width = OWN_WIDTH;
    if (config->down == 0) config->down = OWN_DOWN;
    if (config->down > MOST_DOWN)
        TIPS_FAIL(TIPS_RANGE, "%s takes 1..%d downsampling layers, not %d", arch->name, MOST_DOWN, config->down);
    if (config->output_stride && config->output_stride != 1 << config->down)
        TIPS_FAIL(TIPS_RANGE, "%s goes back up every level: its output stride is %d; --down changes it", arch->name,
                  1 << config->down);
    config->stem = TIPS_STEM_CIFAR; /* it begins at the size of the input */
    config->head = TIPS_HEAD_GAP;
    if (config->up == TIPS_UP_AUTO) config->up = TIPS_UP_TRANSPOSE;
    return TIPS_OK;
}

/* PREFIX.double_conv.0 to .5: convolution, norm, ReLU, twice. */
static tips_value double_conv(const tips_decoder *d, const char *prefix, int out, tips_value x) {
    char conv[TIPS_PART_NAME], norm[TIPS_PART_NAME];
    for (int i = 0; i < 2; i++) {
        snprintf(conv, sizeof conv, "%.100s.double_conv.%d", prefix, 3 * i);
        snprintf(norm, sizeof norm, "%.100s.double_conv.%d", prefix, 3 * i + 1);
        x = tips__decoder_conv(d, conv, norm, x, (tips_decoder_conv){.out = out, .kernel = 3});
    }
    return x;
}

void tips__unet_plain_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                               tips_features *out) {
    const tips_builder b = {.graph = graph, .config = config, .features = out};
    const tips_decoder d = {graph, config, out};
    char name[TIPS_PART_NAME];
    (void)arch;
    tips__features_begin(out);
    x = double_conv(&d, "inc", config->width, x);
    for (int i = 1; i <= config->down; i++) {
        snprintf(name, sizeof name, "down%d.maxpool_conv.0", i);
        x = tips__part_pool(&b, name, TIPS_DOWN_MAX, x);
        snprintf(name, sizeof name, "down%d.maxpool_conv.1", i);
        x = double_conv(&d, name, config->width << i, x);
    }
    tips__features_leave(out, x);
}

tips_value tips__unet_plain_segment(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                    const tips_features *features) {
    const tips_decoder d = {graph, config, features};
    tips_value x = tips__features_last(features);
    char name[TIPS_PART_NAME];
    (void)arch;
    for (int level = features->count - 1, i = 1; level > 0; level--, i++) {
        snprintf(name, sizeof name, "up%d.up", i);
        x = tips__decoder_up_to(&d, name, level, config->width << (level - 1), x);
        snprintf(name, sizeof name, "up%d.concat", i);
        x = tips__decoder_concat(&d, name, features->levels[level - 1].map, x);
        snprintf(name, sizeof name, "up%d.conv", i);
        x = double_conv(&d, name, config->width << (level - 1), x);
    }
    return tips__decoder_logits(&d, "outc.conv", 1, x);
}
