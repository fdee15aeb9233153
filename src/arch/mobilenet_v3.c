/* MobileNetV3, large and small. Norms have eps 1e-3 and momentum 0.01 unless options say otherwise. */
#include "arch/inverted_residual.h"
#include "arch/mobilenet.h"

#include "core/fail.h"

#include <stdio.h>

enum { BASE = 16, SQUEEZE = 4, WIDEN = 6 };

typedef struct row {
    int kernel, expanded, out;
    bool squeezes, hard_swish;
    int place; /* which of the five downsampling places it is, or 0 */
} row;

static const row large[] = {{3, 16, 16, false, false, 0},  {3, 64, 24, false, false, 1},  {3, 72, 24, false, false, 0},
                            {5, 72, 40, true, false, 2},   {5, 120, 40, true, false, 0},  {5, 120, 40, true, false, 0},
                            {3, 240, 80, false, true, 3},  {3, 200, 80, false, true, 0},  {3, 184, 80, false, true, 0},
                            {3, 184, 80, false, true, 0},  {3, 480, 112, true, true, 0},  {3, 672, 112, true, true, 0},
                            {5, 672, 160, true, true, 4},  {5, 960, 160, true, true, 0},  {5, 960, 160, true, true, 0}};
static const row small[] = {{3, 16, 16, true, false, 1}, {3, 72, 24, false, false, 2}, {3, 88, 24, false, false, 0},
                            {5, 96, 40, true, true, 3},  {5, 240, 40, true, true, 0},  {5, 240, 40, true, true, 0},
                            {5, 120, 48, true, true, 0}, {5, 144, 48, true, true, 0},  {5, 288, 96, true, true, 4},
                            {5, 576, 96, true, true, 0}, {5, 576, 96, true, true, 0}};

static const struct {
    const row *rows;
    int count, hidden; /* units before the classifier */
} variants[] = {[LARGE] = {large, sizeof large / sizeof *large, 1280},
                [SMALL] = {small, sizeof small / sizeof *small, 1024}};

tips_status tips__mobilenet_v3_resolve(const tips_arch *arch, tips_arch_config *config) {
    TIPS_TRY(tips__no_depth(arch, config));
    if (tips__norm_is_plain(&config->norm)) TIPS_TRY(tips__norm_parse("batch:momentum=0.01,eps=0.001", &config->norm));
    return tips__five_places_resolve(arch, config, BASE);
}

static tips_value block(const tips_builder *b, const row *r, double factor, bool down, tips_value x) {
    if (x == TIPS_NO_VALUE) return x;
    const int expanded = tips__scaled_channels(factor * r->expanded);
    const tips_part_squeeze squeeze = {.channels = r->squeezes ? tips__scaled_channels(expanded / SQUEEZE) : 0,
                                       .activation = TIPS_ACT_RELU,
                                       .hard = true};
    return tips__inverted_residual(b,
                                   &(tips_inverted_residual){.expanded = expanded,
                                                             .out = tips__scaled_channels(factor * r->out),
                                                             .kernel = r->kernel,
                                                             .expands = expanded != tips__value(b->graph, x)->c,
                                                             .strided = r->place > 0,
                                                             .down = down,
                                                             .activation =
                                                                 r->hard_swish ? TIPS_ACT_HARD_SWISH : TIPS_ACT_RELU,
                                                             .squeeze = squeeze,
                                                             .part = "block"},
                                   x);
}

void tips__mobilenet_v3_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                 tips_value x, tips_features *out) {
    const double factor = (double)config->width / BASE;
    const int count = variants[arch->layout[0]].count;
    const row *rows = variants[arch->layout[0]].rows;
    tips_builder b = {.graph = graph, .config = config, .features = out, .prefix = "features."};
    bool places[TIPS_FIVE_PLACES];
    char name[16];
    tips__five_places(config->down, places);
    tips__features_begin(out);
    const tips_part_conv first = {.out = tips__scaled_channels(factor * BASE), .kernel = 3};
    x = tips__part_conv_norm_act(&b, "0", x, first, TIPS_ACT_HARD_SWISH);
    if (places[0]) x = tips__part_pool(&b, "0.pool", TIPS_DOWN_STRIDE, x);
    for (int i = 0; i < count; i++) {
        tips__part_prefix(&b, "features.%d.", i + 1);
        x = block(&b, &rows[i], factor, rows[i].place > 0 && places[rows[i].place], x);
    }
    tips__part_prefix(&b, "features.");
    snprintf(name, sizeof name, "%d", count + 1);
    const tips_part_conv last = {.out = WIDEN * tips__scaled_channels(factor * rows[count - 1].out), .kernel = 1};
    tips__features_leave(out, tips__part_conv_norm_act(&b, name, x, last, TIPS_ACT_HARD_SWISH));
}

tips_value tips__mobilenet_v3_classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                       const tips_features *features) {
    const double factor = (double)config->width / BASE;
    const tips_builder b = {.graph = graph, .config = config};
    tips_value x = tips__part_mean(graph, features);
    x = tips__part_linear(graph, "classifier.0", tips__scaled_channels(factor * variants[arch->layout[0]].hidden), x);
    x = tips__part_activate(&b, "classifier.1", TIPS_ACT_HARD_SWISH, x);
    x = tips__part_dropout(graph, "classifier.2", config, 0.2, x);
    return tips__part_linear(graph, "classifier.3", config->classes, x);
}
