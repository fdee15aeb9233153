/* Parts of convolutional networks. */
#include "arch/parts.h"

#include "core/fail.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tips__part_prefix(tips_builder *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(b->prefix, sizeof b->prefix, format, args);
    va_end(args);
}

enum { FULL_NAME = 2 * TIPS_PART_NAME + 32 };

static const char *join(char out[FULL_NAME], const tips_builder *b, const char *name, const char *end) {
    snprintf(out, FULL_NAME, "%s%s%s", b->prefix, name, end);
    return out;
}

tips_value tips__part_conv(const tips_builder *b, const char *name, tips_value x, tips_part_conv conv) {
    char full[FULL_NAME];
    const int kernel[2] = {conv.kernel, conv.kernel}, one[2] = {1, 1};
    const tips_conv2d config = {.out = conv.out,
                                .kernel = {conv.kernel, conv.kernel},
                                .stride = {1, 1},
                                .dilation = {1, 1},
                                .groups = conv.groups ? conv.groups : 1,
                                .padding = tips__same_padding(b->config->padding, kernel, one),
                                .bias = conv.bias};
    join(full, b, name, "");
    if (conv.bias) return tips__conv2d(b->graph, full, x, config);
    return tips__norm_conv(b->graph, full, &b->config->norm, &config, x);
}

tips_value tips__part_norm(const tips_builder *b, const char *name, tips_value x) {
    char full[FULL_NAME];
    return tips__norm_add(b->graph, join(full, b, name, ""), &b->config->norm, x);
}

tips_value tips__part_activate(const tips_builder *b, const char *name, tips_activation kind, tips_value x) {
    static const tips_clip six = {0, 6};
    static const struct {
        const tips_layer *layer;
        const void *config;
    } kinds[] = {[TIPS_ACT_RELU] = {&tips__layer_relu, NULL},
                 [TIPS_ACT_RELU6] = {&tips__layer_clip, &six},
                 [TIPS_ACT_SILU] = {&tips__layer_silu, NULL},
                 [TIPS_ACT_HARD_SWISH] = {&tips__layer_hard_swish, NULL}};
    char full[FULL_NAME];
    if (kind == TIPS_ACT_NONE) return x;
    return tips__graph_add(b->graph, kinds[kind].layer, join(full, b, name, ""), kinds[kind].config, &x, 1);
}

tips_value tips__part_conv_norm_act(const tips_builder *b, const char *name, tips_value x, tips_part_conv conv,
                                    tips_activation kind) {
    char part[TIPS_PART_NAME];
    snprintf(part, sizeof part, "%s.0", name);
    x = tips__part_conv(b, part, x, conv);
    snprintf(part, sizeof part, "%s.1", name);
    x = tips__part_norm(b, part, x);
    snprintf(part, sizeof part, "%s.2", name);
    return tips__part_activate(b, part, kind, x);
}

static tips_value gate_of(const tips_builder *b, const char *name, bool hard, tips_value x) {
    static const tips_hard_sigmoid sixth = {1.0 / 6, 0.5};
    char full[FULL_NAME];
    join(full, b, name, ".scale_activation");
    if (hard) return tips__graph_add(b->graph, &tips__layer_hard_sigmoid, full, &sixth, &x, 1);
    return tips__graph_add(b->graph, &tips__layer_sigmoid, full, NULL, &x, 1);
}

tips_value tips__part_squeeze(const tips_builder *b, const char *name, tips_value x, tips_part_squeeze squeeze) {
    char full[FULL_NAME], part[TIPS_PART_NAME];
    if (squeeze.channels == 0 || x == TIPS_NO_VALUE) return x;
    tips_value gate = tips__graph_add(b->graph, &tips__layer_global_avg, join(full, b, name, ".avgpool"), NULL, &x, 1);
    snprintf(part, sizeof part, "%s.fc1", name);
    gate = tips__part_conv(b, part, gate, (tips_part_conv){.out = squeeze.channels, .kernel = 1, .bias = true});
    snprintf(part, sizeof part, "%s.activation", name);
    gate = tips__part_activate(b, part, squeeze.activation, gate);
    snprintf(part, sizeof part, "%s.fc2", name);
    const int channels = tips__value(b->graph, x)->c;
    gate = tips__part_conv(b, part, gate, (tips_part_conv){.out = channels, .kernel = 1, .bias = true});
    gate = gate_of(b, name, squeeze.hard, gate);
    return tips__graph_add(b->graph, &tips__layer_combine, join(full, b, name, ".scale"),
                           &(tips_combine){TIPS_COMBINE_MUL}, (const tips_value[]){x, gate}, 2);
}

tips_value tips__part_mean(tips_graph *graph, const tips_features *features) {
    const tips_value x = tips__features_last(features);
    return tips__graph_add(graph, &tips__layer_global_avg, "avgpool", NULL, &x, 1);
}

tips_value tips__part_dropout(tips_graph *graph, const char *name, const tips_arch_config *config, double own,
                              tips_value x) {
    const tips_dropout dropout = {config->dropout < 0 ? own : config->dropout};
    return dropout.p > 0 ? tips__graph_add(graph, &tips__layer_dropout, name, &dropout, &x, 1) : x;
}

tips_value tips__part_linear(tips_graph *graph, const char *name, int out, tips_value x) {
    return tips__graph_add(graph, &tips__layer_linear, name, &(tips_linear){.out = out}, &x, 1);
}

tips_value tips__part_pool(const tips_builder *b, const char *name, tips_downsampling kind, tips_value x) {
    static const int stride[2] = {2, 2};
    char full[FULL_NAME];
    tips_selection selection = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    const tips_pool_place place = {.name = join(full, b, name, ""), .stride = stride, .padding = b->config->padding};
    tips__features_leave(b->features, x);
    const tips_pool_spec *spec = tips__pool_of_level(b->config, b->features);
    if (kind == TIPS_DOWN_MAX) x = tips__pool_for_max(b->graph, &place, spec, x, &selection);
    else if (kind == TIPS_DOWN_MEAN) x = tips__pool_for_mean(b->graph, &place, spec, x, &selection);
    else x = tips__pool_add(b->graph, place.name, spec, stride, place.padding, x, NULL, &selection);
    tips__features_enter(b->features, spec, stride, &selection);
    return x;
}

void tips__five_places(int down, bool places[TIPS_FIVE_PLACES]) {
    const int first = down <= 3 ? 2 : TIPS_FIVE_PLACES - down;
    for (int i = 0; i < TIPS_FIVE_PLACES; i++) places[i] = i >= first && (down > 2 || i < TIPS_FIVE_PLACES - 1);
}

void tips__choose_stem(tips_arch_config *config) {
    const bool is_large = config->size[0] > 64 || config->size[1] > 64;
    if (config->stem == TIPS_STEM_AUTO) config->stem = is_large ? TIPS_STEM_IMAGENET : TIPS_STEM_CIFAR;
}

tips_status tips__no_depth(const tips_arch *arch, const tips_arch_config *config) {
    if (config->depth == 0 || config->depth == 1) return TIPS_OK;
    TIPS_FAIL(TIPS_INVALID, "%s has no multiplier of its depth: --depth %g", arch->name, config->depth);
}

tips_status tips__five_places_resolve(const tips_arch *arch, tips_arch_config *config, int width) {
    tips__choose_stem(config);
    if (config->width == 0) config->width = width;
    if (config->down == 0) config->down = config->stem == TIPS_STEM_IMAGENET ? TIPS_FIVE_PLACES : 3;
    if (config->down < 2 || config->down > TIPS_FIVE_PLACES)
        TIPS_FAIL(TIPS_RANGE, "%s takes 2..5 downsampling layers, not %d", arch->name, config->down);
    return TIPS_OK;
}

int tips__scaled_channels(double channels) {
    enum { MULTIPLE = 8 };
    int scaled = (int)(channels + MULTIPLE / 2.0) / MULTIPLE * MULTIPLE;
    if (scaled < MULTIPLE) scaled = MULTIPLE;
    return scaled < 0.9 * channels ? scaled + MULTIPLE : scaled;
}
