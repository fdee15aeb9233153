/* MobileNet, the first: a strided convolution, then pairs of a depthwise and a 1x1 convolution. Operators follow the
 * depthwise ones. Names are those of timm's mobilenetv1_100, as torchvision has none. */
#include "arch/mobilenet.h"
#include "arch/parts.h"

#include "core/fail.h"

enum { STAGES = 5, BASE = 32 };
static const struct { int channels, pairs; } stages[STAGES] = {{64, 1}, {128, 2}, {256, 2}, {512, 6}, {1024, 2}};

tips_status tips__mobilenet_v1_resolve(const tips_arch *arch, tips_arch_config *config) {
    TIPS_TRY(tips__no_depth(arch, config));
    return tips__five_places_resolve(arch, config, arch->layout[0]);
}

static tips_value pair(const tips_builder *b, int out, bool down, tips_value x) {
    if (x == TIPS_NO_VALUE) return x;
    const int in = tips__value(b->graph, x)->c;
    x = tips__part_conv(b, "conv_dw", x, (tips_part_conv){.out = in, .kernel = 3, .groups = in});
    x = tips__part_activate(b, "act1", TIPS_ACT_RELU6, tips__part_norm(b, "bn1", x));
    if (down) x = tips__part_pool(b, "pool", TIPS_DOWN_STRIDE, x);
    x = tips__part_conv(b, "conv_pw", x, (tips_part_conv){.out = out, .kernel = 1});
    return tips__part_activate(b, "act2", TIPS_ACT_RELU6, tips__part_norm(b, "bn2", x));
}

void tips__mobilenet_v1_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                                 tips_features *out) {
    const double factor = (double)config->width / BASE;
    tips_builder b = {.graph = graph, .config = config, .features = out, .prefix = ""};
    bool places[TIPS_FIVE_PLACES];
    (void)arch;
    tips__five_places(config->down, places);
    tips__features_begin(out);
    x = tips__part_conv(
        &b, "conv_stem", x,
        (tips_part_conv){.out = config->width, .kernel = config->stem_kernel ? config->stem_kernel : 3});
    x = tips__part_activate(&b, "act1", TIPS_ACT_RELU6, tips__part_norm(&b, "bn1", x));
    if (places[0]) x = tips__part_pool(&b, "pool", TIPS_DOWN_STRIDE, x);
    for (int s = 0; s < STAGES; s++)
        for (int i = 0; i < stages[s].pairs; i++) {
            tips__part_prefix(&b, "blocks.%d.%d.", s, i);
            x = pair(&b, tips__scaled_channels(factor * stages[s].channels), s > 0 && i == 0 && places[s], x);
        }
    tips__features_leave(out, x);
}

tips_value tips__mobilenet_v1_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                       const tips_features *features) {
    (void)arch;
    const tips_value x = tips__part_dropout(graph, "dropout", config, 0, tips__part_mean(graph, features));
    return tips__part_linear(graph, "classifier", config->classes, x);
}
