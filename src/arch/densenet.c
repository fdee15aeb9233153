/* DenseNets: every layer of a block reads all maps before it and adds `growth` channels; between blocks a transition
 * halves the channels and the size. Operators take the place of the transitions' means, of the stem's strided
 * convolution and of its max pooling.
 *
 * Where the `down` downsampling layers are, for T transitions: T - 1 = all but the last, T = all, then one more in the
 * stem (imagenet: its max pooling, cifar: behind the convolution), and with the imagenet stem conv0 as well. */
#include "arch/densenet.h"

#include "arch/parts.h"
#include "core/fail.h"

#include <stdio.h>

enum { GROWTH, FIRST, BLOCKS, LAYERS };
enum { SMALL_BLOCKS = 3, BOTTLENECK = 4 };

static bool is_large(const tips_arch_config *config) { return config->stem == TIPS_STEM_IMAGENET; }

tips_status tips__densenet_resolve(const tips_arch *arch, tips_arch_config *config) {
    const int transitions = arch->layout[BLOCKS] - 1;
    const bool is_small = arch->layout[BLOCKS] == SMALL_BLOCKS;
    TIPS_TRY(tips__no_depth(arch, config));
    if (is_small && is_large(config)) TIPS_FAIL(TIPS_INVALID, "%s has the cifar stem only, not imagenet", arch->name);
    if (is_small) config->stem = TIPS_STEM_CIFAR;
    tips__choose_stem(config);
    const int most = transitions + (is_large(config) ? 2 : 1);
    if (config->width == 0) config->width = arch->layout[FIRST];
    if (config->down == 0) config->down = is_large(config) ? most : transitions;
    if (config->down < transitions - 1 || config->down > most)
        TIPS_FAIL(TIPS_RANGE, "%s with the %s stem takes %d..%d downsampling layers, not %d", arch->name,
                  is_large(config) ? "imagenet" : "cifar", transitions - 1, most, config->down);
    return TIPS_OK;
}

static int growth_of(const tips_arch *arch, const tips_arch_config *config) {
    const int growth = arch->layout[GROWTH] * config->width / arch->layout[FIRST];
    return growth > 0 ? growth : 1;
}

static tips_value norm_relu(const tips_builder *b, const char *number, tips_value x) {
    char name[16];
    snprintf(name, sizeof name, "norm%s", number);
    x = tips__part_norm(b, name, x);
    snprintf(name, sizeof name, "relu%s", number);
    return tips__part_activate(b, name, TIPS_ACT_RELU, x);
}

static tips_value dense_layer(const tips_builder *b, int growth, tips_value x) {
    char name[TIPS_PART_NAME + 8];
    tips_value y = norm_relu(b, "1", x);
    y = tips__part_conv(b, "conv1", y, (tips_part_conv){.out = BOTTLENECK * growth, .kernel = 1});
    y = tips__part_conv(b, "conv2", norm_relu(b, "2", y), (tips_part_conv){.out = growth, .kernel = 3});
    snprintf(name, sizeof name, "%scat", b->prefix);
    return tips__graph_add(b->graph, &tips__layer_concat, name, NULL, (const tips_value[]){x, y}, 2);
}

static tips_value transition(const tips_builder *b, bool down, tips_value x) {
    if (x == TIPS_NO_VALUE) return x;
    const int half = tips__value(b->graph, x)->c / 2;
    x = tips__part_conv(b, "conv", norm_relu(b, "", x), (tips_part_conv){.out = half, .kernel = 1});
    return down ? tips__part_pool(b, "pool", TIPS_DOWN_MEAN, x) : x;
}

/* The stem's maxima are of 3x3 windows, so an operator stands behind them. */
static tips_value stem(const tips_builder *b, int extra, tips_value x) {
    const bool large = is_large(b->config);
    x = tips__part_conv(b, "conv0", x, (tips_part_conv){.out = b->config->width, .kernel = large ? 7 : 3});
    if (large) x = norm_relu(b, "0", x);
    if (extra >= (large ? 2 : 1)) x = tips__part_pool(b, "conv0.pool", TIPS_DOWN_STRIDE, x);
    if (!large) return x;
    const tips_dense_max most = {.kernel = {3, 3}, .mode = b->config->padding};
    const tips_value largest = tips__graph_add(b->graph, &tips__layer_dense_max, "features.pool0", &most, &x, 1);
    if (extra < 1) return largest;
    tips_arch_config behind = *b->config;
    tips_builder at = *b;
    behind.pool = tips__pool_behind_max(&b->config->pool);
    if (behind.others) behind.other = tips__pool_behind_max(&b->config->other);
    at.config = &behind;
    return tips__part_pool(&at, "pool0.pool", TIPS_DOWN_STRIDE, largest);
}

void tips__densenet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                             tips_features *out) {
    const int blocks = arch->layout[BLOCKS], extra = config->down - (blocks - 1);
    tips_builder b = {.graph = graph, .config = config, .features = out, .prefix = "features."};
    tips__features_begin(out);
    x = stem(&b, extra, x);
    for (int block = 0; block < blocks; block++) {
        for (int i = 0; i < arch->layout[LAYERS + block]; i++) {
            tips__part_prefix(&b, "features.denseblock%d.denselayer%d.", block + 1, i + 1);
            x = dense_layer(&b, growth_of(arch, config), x);
        }
        tips__part_prefix(&b, "features.transition%d.", block + 1);
        if (block < blocks - 1) x = transition(&b, block < blocks - 2 || extra >= 0, x);
    }
    tips__part_prefix(&b, "features.");
    tips__features_leave(out, norm_relu(&b, "5", x));
}

tips_value tips__densenet_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                   const tips_features *features) {
    (void)arch;
    return tips__part_linear(graph, "classifier", config->classes, tips__part_mean(graph, features));
}
