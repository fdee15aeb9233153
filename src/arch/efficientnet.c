/* EfficientNets: MobileNetV2's blocks with squeeze and excitation and SiLU, wider and deeper from B0 to B7. --width is
 * the number of channels of the first convolution and scales all others, --depth scales the blocks of each stage. */
#include "arch/efficientnet.h"
#include "arch/inverted_residual.h"

#include "core/fail.h"

#include <math.h>

enum { WIDTH, DEPTH, DROPOUT, SLOW_NORMS }; /* the layout */
enum { STAGES = 7, BASE = 32, SQUEEZE = 4, WIDEN = 4 };
static const double OWN_DROP_PATH = 0.2;

static const struct {
    int expansion, kernel, channels, blocks, place; /* place: which of the five downsampling places, or 0 */
} stages[STAGES] = {{1, 3, 16, 1, 0},  {6, 3, 24, 2, 1},  {6, 5, 40, 2, 2}, {6, 3, 80, 3, 3},
                    {6, 5, 112, 3, 0}, {6, 5, 192, 4, 4}, {6, 3, 320, 1, 0}};

tips_status tips__efficientnet_resolve(const tips_arch *arch, tips_arch_config *config) {
    if (arch->layout[SLOW_NORMS] && tips__norm_is_plain(&config->norm))
        TIPS_TRY(tips__norm_parse("batch:momentum=0.01,eps=0.001", &config->norm));
    return tips__five_places_resolve(arch, config, tips__scaled_channels(BASE * arch->layout[WIDTH] / 10.0));
}

/* Where the width is the variant's own, its factor: rounding has made a multiple of 8 of it. */
static double factor_of(const tips_arch *arch, const tips_arch_config *config) {
    const double own = arch->layout[WIDTH] / 10.0;
    return config->width == tips__scaled_channels(BASE * own) ? own : (double)config->width / BASE;
}

static int blocks_of(const tips_arch *arch, const tips_arch_config *config, int stage) {
    const int blocks = (int)ceil(stages[stage].blocks * (arch->layout[DEPTH] / 10.0) * config->depth - 1e-9);
    return blocks > 0 ? blocks : 1;
}

typedef struct progress {
    int done, total; /* blocks */
    double last;     /* probability that the last one's branch is left out */
} progress;

static tips_value block(const tips_builder *b, int stage, int out, bool first, bool down, double drop, tips_value x) {
    if (x == TIPS_NO_VALUE) return x;
    const int in = tips__value(b->graph, x)->c, expansion = stages[stage].expansion;
    const int expanded = expansion == 1 ? in : tips__scaled_channels((double)in * expansion);
    const tips_inverted_residual block = {.expanded = expanded,
                                          .out = out,
                                          .kernel = stages[stage].kernel,
                                          .expands = expanded != in,
                                          .strided = first && stages[stage].place > 0,
                                          .down = down,
                                          .activation = TIPS_ACT_SILU,
                                          .squeeze = {.channels = in / SQUEEZE > 0 ? in / SQUEEZE : 1,
                                                      .activation = TIPS_ACT_SILU},
                                          .drop_path = drop,
                                          .part = "block"};
    return tips__inverted_residual(b, &block, x);
}

static tips_value add_stages(tips_builder *b, const tips_arch *arch, const bool *places, tips_value x) {
    const tips_arch_config *config = b->config;
    progress p = {.last = config->drop_path < 0 ? OWN_DROP_PATH : config->drop_path};
    for (int s = 0; s < STAGES; s++) p.total += blocks_of(arch, config, s);
    for (int s = 0; s < STAGES; s++)
        for (int i = 0; i < blocks_of(arch, config, s); i++, p.done++) {
            const bool down = i == 0 && stages[s].place > 0 && places[stages[s].place];
            tips__part_prefix(b, "features.%d.%d.", s + 1, i);
            x = block(b, s, tips__scaled_channels(factor_of(arch, config) * stages[s].channels), i == 0, down,
                      p.last * p.done / p.total, x);
        }
    return x;
}

void tips__efficientnet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                 tips_value x, tips_features *out) {
    tips_builder b = {.graph = graph, .config = config, .features = out, .prefix = "features."};
    bool places[TIPS_FIVE_PLACES];
    tips__five_places(config->down, places);
    tips__features_begin(out);
    const double factor = factor_of(arch, config);
    const tips_part_conv first = {.out = tips__scaled_channels(factor * BASE), .kernel = 3};
    x = tips__part_conv_norm_act(&b, "0", x, first, TIPS_ACT_SILU);
    if (places[0]) x = tips__part_pool(&b, "0.pool", TIPS_DOWN_STRIDE, x);
    x = add_stages(&b, arch, places, x);
    tips__part_prefix(&b, "features.");
    const tips_part_conv last = {.out = WIDEN * tips__scaled_channels(factor * stages[STAGES - 1].channels),
                                 .kernel = 1};
    tips__features_leave(out, tips__part_conv_norm_act(&b, "8", x, last, TIPS_ACT_SILU));
}

tips_value tips__efficientnet_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                       const tips_features *features) {
    const double own = arch->layout[DROPOUT] / 10.0;
    const tips_value x = tips__part_dropout(graph, "classifier.0", config, own, tips__part_mean(graph, features));
    return tips__part_linear(graph, "classifier.1", config->classes, x);
}
