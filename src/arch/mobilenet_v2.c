/* MobileNetV2. */
#include "arch/inverted_residual.h"
#include "arch/mobilenet.h"

#include "core/fail.h"

enum { STAGES = 7, BASE = 32, LAST = 1280 };
static const struct {
    int expansion, channels, blocks, place; /* place: which of the five downsampling places its first block is, or 0 */
} stages[STAGES] = {{1, 16, 1, 0}, {6, 24, 2, 1}, {6, 32, 3, 2}, {6, 64, 4, 3},
                    {6, 96, 3, 0}, {6, 160, 3, 4}, {6, 320, 1, 0}};

tips_status tips__mobilenet_v2_resolve(const tips_arch *arch, tips_arch_config *config) {
    TIPS_TRY(tips__no_depth(arch, config));
    return tips__five_places_resolve(arch, config, arch->layout[0]);
}

static tips_value block(const tips_builder *b, int expansion, int out, bool strided, bool down, tips_value x) {
    if (x == TIPS_NO_VALUE) return x;
    return tips__inverted_residual(b,
                                   &(tips_inverted_residual){.expanded = expansion * tips__value(b->graph, x)->c,
                                                             .out = out,
                                                             .kernel = 3,
                                                             .expands = expansion > 1,
                                                             .strided = strided,
                                                             .down = down,
                                                             .activation = TIPS_ACT_RELU6,
                                                             .part = "conv",
                                                             .flat_projection = true},
                                   x);
}

void tips__mobilenet_v2_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                 tips_value x, tips_features *out) {
    const double factor = (double)config->width / BASE;
    tips_builder b = {.graph = graph, .config = config, .features = out, .prefix = "features."};
    bool places[TIPS_FIVE_PLACES];
    int number = 1;
    (void)arch;
    tips__five_places(config->down, places);
    tips__features_begin(out);
    const tips_part_conv first = {.out = tips__scaled_channels(factor * BASE), .kernel = 3};
    x = tips__part_conv_norm_act(&b, "0", x, first, TIPS_ACT_RELU6);
    if (places[0]) x = tips__part_pool(&b, "0.pool", TIPS_DOWN_STRIDE, x);
    for (int s = 0; s < STAGES; s++)
        for (int i = 0; i < stages[s].blocks; i++) {
            const bool strided = i == 0 && stages[s].place > 0;
            tips__part_prefix(&b, "features.%d.", number++);
            x = block(&b, stages[s].expansion, tips__scaled_channels(factor * stages[s].channels), strided,
                      strided && places[stages[s].place], x);
        }
    tips__part_prefix(&b, "features.");
    const tips_part_conv last = {.out = factor > 1 ? tips__scaled_channels(factor * LAST) : LAST, .kernel = 1};
    x = tips__part_conv_norm_act(&b, "18", x, last, TIPS_ACT_RELU6);
    tips__features_leave(out, x);
}

tips_value tips__mobilenet_v2_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                       const tips_features *features) {
    (void)arch;
    const tips_value x = tips__part_dropout(graph, "classifier.0", config, 0.2, tips__part_mean(graph, features));
    return tips__part_linear(graph, "classifier.1", config->classes, x);
}
