/* VGG networks: five blocks of 3x3 convolutions, each closed by max pooling, which operators take the place of. Early
 * maps are the costly ones, so --down keeps the first poolings and drops the last. The own head flattens a map that is
 * averaged to 7x7;
 * behind an exact operator that map is rolled to begin at its strongest position, so that it stays exact. */
#include "arch/vgg.h"

#include "arch/parts.h"
#include "core/fail.h"

#include <stdio.h>

enum { NORMS, BLOCKS };
enum { MOST_BLOCKS = 5, WIDEST = 8, OWN_CELLS = 7, OWN_UNITS = 4096, OWN_WIDTH = 64 };

tips_status tips__vgg_resolve(const tips_arch *arch, tips_arch_config *config) {
    TIPS_TRY(tips__no_depth(arch, config));
    tips__choose_stem(config);
    const bool is_large = config->stem == TIPS_STEM_IMAGENET;
    if (config->head == TIPS_HEAD_AUTO) config->head = is_large ? TIPS_HEAD_OWN : TIPS_HEAD_GAP;
    if (config->width == 0) config->width = OWN_WIDTH;
    if (config->down == 0) config->down = is_large ? MOST_BLOCKS : MOST_BLOCKS - 1;
    if (config->down > MOST_BLOCKS)
        TIPS_FAIL(TIPS_RANGE, "%s takes 1..5 downsampling layers, not %d", arch->name, config->down);
    return TIPS_OK;
}

/* Published convolutions have a bias, before norms too. */
static bool norm_is_within(const tips_arch *arch, const tips_arch_config *config) {
    return arch->layout[NORMS] && config->norm.norm && config->norm.norm->conv;
}

static tips_value crop(tips_graph *graph, const char *what, int block, int axis, int stop, tips_value x) {
    char name[32];
    snprintf(name, sizeof name, "block%d.%s", block, what);
    return tips__graph_add(graph, &tips__layer_slice, name, &(tips_slice){.axis = axis, .stop = stop, .step = 1}, &x,
                           1);
}

/* Published poolings leave out a last row or column that has no partner; other heads may want maps of every level to
 * meet the picture. */
static tips_value crop_odd(tips_graph *graph, const tips_arch_config *config, int block, tips_value x) {
    const bool is_published = config->head == TIPS_HEAD_OWN && !(tips__pool_traits(&config->pool) & TIPS_POOL_IDENTITY);
    if (x == TIPS_NO_VALUE || !is_published) return x;
    const int h = tips__value(graph, x)->h, w = tips__value(graph, x)->w;
    if (h % 2 && h > 1) x = crop(graph, "rows", block, TIPS_AXIS_H, h - 1, x);
    if (w % 2 && w > 1) x = crop(graph, "columns", block, TIPS_AXIS_W, w - 1, x);
    return x;
}

void tips__vgg_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                        tips_features *out) {
    tips_builder b = {.graph = graph, .config = config, .features = out, .prefix = "features."};
    int place = 0; /* torchvision's list counts activations and poolings too */
    char name[24];
    tips__features_begin(out);
    for (int block = 0; block < MOST_BLOCKS; block++) {
        const int widening = 1 << block < WIDEST ? 1 << block : WIDEST;
        const tips_part_conv conv = {
            .out = config->width * widening, .kernel = 3, .bias = !norm_is_within(arch, config)};
        for (int i = 0; i < arch->layout[BLOCKS + block]; i++) {
            snprintf(name, sizeof name, "%d", place++);
            x = tips__part_conv(&b, name, x, conv);
            if (arch->layout[NORMS]) {
                snprintf(name, sizeof name, "%d", place++);
                x = tips__part_norm(&b, name, x);
            }
            snprintf(name, sizeof name, "%d", place++);
            x = tips__part_activate(&b, name, TIPS_ACT_RELU, x);
        }
        snprintf(name, sizeof name, "%d.pool", place++);
        if (block < config->down) x = tips__part_pool(&b, name, TIPS_DOWN_MAX, crop_odd(graph, config, block, x));
    }
    tips__features_leave(out, x);
}

/* The last map as 7x7, flat. */
static tips_value flatten(tips_graph *graph, const tips_arch_config *config, tips_value x) {
    const tips_adaptive_avg cells = {{OWN_CELLS, OWN_CELLS}};
    if (x == TIPS_NO_VALUE) return x;
    if (tips__pool_traits(&config->pool) & TIPS_POOL_EXACT)
        x = tips__graph_add(graph, &tips__layer_anchor, "anchor", NULL, &x, 1);
    if (x != TIPS_NO_VALUE && (tips__value(graph, x)->h != OWN_CELLS || tips__value(graph, x)->w != OWN_CELLS))
        x = tips__graph_add(graph, &tips__layer_adaptive_avg, "avgpool", &cells, &x, 1);
    return tips__graph_add(graph, &tips__layer_reshape, "flatten", &(tips_reshape){0}, &x, 1);
}

static tips_value hidden(tips_graph *graph, const tips_arch_config *config, int place, tips_value x) {
    char name[32];
    snprintf(name, sizeof name, "classifier.%d", place);
    x = tips__part_linear(graph, name, OWN_UNITS, x);
    snprintf(name, sizeof name, "classifier.%d", place + 1);
    x = tips__relu(graph, name, x);
    snprintf(name, sizeof name, "classifier.%d", place + 2);
    return tips__part_dropout(graph, name, config, 0.5, x);
}

tips_value tips__vgg_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                              const tips_features *features) {
    (void)arch;
    if (config->head == TIPS_HEAD_GAP)
        return tips__part_linear(graph, "classifier", config->classes, tips__part_mean(graph, features));
    tips_value x = flatten(graph, config, tips__features_last(features));
    x = hidden(graph, config, 3, hidden(graph, config, 0, x));
    return tips__part_linear(graph, "classifier.6", config->classes, x);
}
