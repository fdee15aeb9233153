/* ResNets. Every downsampling is a pooling operator: a strided convolution becomes convolution, norm, ReLU, pool, and a
 * strided max becomes dense max, pool. In a block the pool sits after the last ReLU but one (basic: before conv2,
 * bottleneck: before conv3), and the shortcut is pool, 1x1 convolution, norm, with the main branch's selection.
 *
 * Where the `down` downsampling layers are, for four stages:
 *     cifar:     2 = stages 2-3, 3 = stages 2-4, 4 adds stage 1, 5 adds one after the stem
 *     imagenet:  2 = stages 2-3, 3 = stages 2-4, 4 adds the stem's max, 5 adds conv1
 * and for three stages (cifar only): 1 = stage 2, 2 = stages 2-3, 3 adds one after the stem.
 *
 * The last `atrous` stages keep the size instead, and all their blocks but the first spread their 3x3 windows as far as
 * they would have reached on the smaller map: the way of replace_stride_with_dilation. */
#include "arch/resnet.h"

#include "arch/parts.h"

#include "core/fail.h"
#include "layer/layers.h"

#include <stdio.h>

enum { BLOCK, WIDTH, STAGES, BLOCKS };
enum { MOST_STAGES = 4, NAME_SIZE = 128, EXPANSION = 4 };

static bool has_stem_max(const tips_arch_config *config) { return config->stem == TIPS_STEM_IMAGENET; }

tips_status tips__resnet_resolve(const tips_arch *arch, tips_arch_config *config) {
    const int stages = arch->layout[STAGES];
    TIPS_TRY(tips__no_depth(arch, config));
    const bool is_small = stages<MOST_STAGES, is_large = config->size[0]> 64 || config->size[1] > 64;
    if (is_small && config->stem == TIPS_STEM_IMAGENET)
        TIPS_FAIL(TIPS_INVALID, "%s has the cifar stem only, not imagenet", arch->name);
    if (config->stem == TIPS_STEM_AUTO) config->stem = is_large && !is_small ? TIPS_STEM_IMAGENET : TIPS_STEM_CIFAR;
    if (config->width == 0) config->width = arch->layout[WIDTH];
    if (config->down == 0) config->down = has_stem_max(config) ? 5 : stages - 1;
    const int least = stages - 2, most = is_small ? stages : 5;
    if (config->down < least || config->down > most)
        TIPS_FAIL(TIPS_RANGE, "%s with the %s stem takes %d..%d downsampling layers, not %d", arch->name,
                  has_stem_max(config) ? "imagenet" : "cifar", least, most, config->down);
    return TIPS_OK;
}

typedef struct builder {
    tips_graph *graph;
    const tips_arch *arch;
    const tips_arch_config *config;
    tips_features *features;
    const char *prefix;         /* of the block: "layer2.0." */
    const tips_pool_spec *pool; /* of the next downsampling */
    int dilation;               /* of its 3x3 convolutions */
} builder;

typedef struct places {
    bool after_conv1, after_max, stage[MOST_STAGES];
} places;

static places find_places(const tips_arch *arch, const tips_arch_config *config) {
    const int stages = arch->layout[STAGES], extra = config->down - (stages - 1);
    const bool is_small = stages < MOST_STAGES;
    places at = {.after_conv1 = extra >= (is_small ? 1 : 2), .after_max = has_stem_max(config) && extra >= 1};
    at.stage[0] = !is_small && !has_stem_max(config) && extra >= 1;
    for (int i = 1; i < stages; i++) at.stage[i] = (i < stages - 1 || extra >= 0) && i < stages - config->atrous;
    return at;
}

static const char *join(char out[NAME_SIZE], const builder *b, const char *name) {
    snprintf(out, NAME_SIZE, "%s%s", b->prefix, name);
    return out;
}

/* Convolution and norm, "conv2" and "bn2". */
static tips_value conv_norm(const builder *b, const char *conv, const char *norm, tips_value x, int out, int kernel) {
    char conv_name[NAME_SIZE], norm_name[NAME_SIZE];
    tips_conv2d config = tips__same_conv(out, kernel, b->config->padding);
    if (kernel > 1) config.dilation[0] = config.dilation[1] = b->dilation;
    config.padding = tips__same_padding(b->config->padding, config.kernel, config.dilation);
    return tips__conv_norm(b->graph, join(conv_name, b, conv), join(norm_name, b, norm), &b->config->norm, &config, x);
}

static tips_value relu(const builder *b, const char *name, tips_value x) {
    char full[NAME_SIZE];
    return tips__relu(b->graph, join(full, b, name), x);
}

static const int stride[2] = {2, 2};

static tips_value pool(const builder *b, const char *name, tips_value x, const tips_selection *shared,
                       tips_selection *selection) {
    char full[NAME_SIZE];
    return tips__pool_add(b->graph, join(full, b, name), b->pool, stride, b->config->padding, x, shared, selection);
}

/* A downsampling outside of the blocks: `x`, of which `last` is what the level before offers. */
static tips_value stem_pool(const builder *b, const char *name, const tips_pool_spec *spec, tips_value last,
                            tips_value x) {
    tips_selection selection = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    tips__features_leave(b->features, last);
    x = tips__pool_add(b->graph, name, spec, stride, b->config->padding, x, NULL, &selection);
    tips__features_enter(b->features, spec, stride, &selection);
    return x;
}

static tips_value stem(const builder *b, const places *at, tips_value x) {
    const bool large = has_stem_max(b->config);
    const int usual = large ? 7 : 3, kernel = b->config->stem_kernel ? b->config->stem_kernel : usual;
    x = conv_norm(b, "conv1", "bn1", x, b->config->width, kernel);
    x = relu(b, "relu", x);
    if (at->after_conv1) x = stem_pool(b, "pool1", tips__pool_of_level(b->config, b->features), x, x);
    if (!large) return x;
    const tips_dense_max config = {.kernel = {3, 3}, .mode = b->config->padding};
    const tips_value most = tips__graph_add(b->graph, &tips__layer_dense_max, "maxpool", &config, &x, 1);
    const tips_pool_spec behind = tips__pool_behind_max(tips__pool_of_level(b->config, b->features));
    return at->after_max ? stem_pool(b, "pool2", &behind, x, most) : most;
}

static tips_value basic(const builder *b, tips_value x, int width, bool down, tips_selection *selection) {
    x = relu(b, "relu1", conv_norm(b, "conv1", "bn1", x, width, 3));
    if (down) x = pool(b, "pool", x, NULL, selection);
    return conv_norm(b, "conv2", "bn2", x, width, 3);
}

static tips_value bottleneck(const builder *b, tips_value x, int width, bool down, tips_selection *selection) {
    x = relu(b, "relu1", conv_norm(b, "conv1", "bn1", x, width, 1));
    x = relu(b, "relu2", conv_norm(b, "conv2", "bn2", x, width, 3));
    if (down) x = pool(b, "pool", x, NULL, selection);
    return conv_norm(b, "conv3", "bn3", x, EXPANSION * width, 1);
}

/* One residual block. The main branch comes first: the shortcut follows its selection. */
static tips_value block(const builder *b, tips_value x, int width, bool down) {
    char name[NAME_SIZE];
    tips_selection selection = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    if (x == TIPS_NO_VALUE) return x;
    const bool is_basic = b->arch->layout[BLOCK] == BASIC;
    const int in = tips__value(b->graph, x)->c, out = is_basic ? width : EXPANSION * width;
    if (down) tips__features_leave(b->features, x);
    const tips_value main_branch = (is_basic ? basic : bottleneck)(b, x, width, down, &selection);
    if (down) tips__features_enter(b->features, b->pool, stride, &selection);
    tips_value shortcut = x;
    if (down) shortcut = pool(b, "downsample.pool", shortcut, &selection, NULL);
    if (down || in != out) shortcut = conv_norm(b, "downsample.0", "downsample.1", shortcut, out, 1);
    return relu(b, "relu", tips__add(b->graph, join(name, b, "add"), main_branch, shortcut));
}

void tips__resnet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                           tips_features *out) {
    const places at = find_places(arch, config);
    const int first_atrous = arch->layout[STAGES] - config->atrous;
    builder b = {.graph = graph, .arch = arch, .config = config, .features = out, .prefix = "", .dilation = 1};
    tips__features_begin(out);
    x = stem(&b, &at, x);
    for (int stage = 0; stage < arch->layout[STAGES]; stage++) {
        for (int i = 0; i < arch->layout[BLOCKS + stage]; i++) {
            b.dilation = stage < first_atrous ? 1 : 1 << (stage - first_atrous + (i > 0));
            char prefix[NAME_SIZE];
            snprintf(prefix, sizeof prefix, "layer%d.%d.", stage + 1, i);
            b.prefix = prefix;
            b.pool = tips__pool_of_level(config, out);
            x = block(&b, x, config->width << stage, i == 0 && at.stage[stage]);
        }
    }
    tips__features_leave(out, x);
}

tips_value tips__resnet_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                 const tips_features *features) {
    (void)arch;
    tips_value x = tips__features_last(features);
    x = tips__graph_add(graph, &tips__layer_global_avg, "avgpool", NULL, &x, 1);
    return tips__graph_add(graph, &tips__layer_linear, "fc", &(tips_linear){.out = config->classes}, &x, 1);
}
