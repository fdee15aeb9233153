/* The table of layers, made from layers.def, and the short builder calls. */
#include "layer/detection_layers.h"

#include <string.h>

const tips_layer *const TIPS_ROW(tips__layers)[] = {
#define TIPS_LAYER(name) &tips__layer_##name,
#include "layer/layers.def"
#undef TIPS_LAYER
    NULL,
};

const tips_layer *tips__layer_find(const char *name) {
    for (const tips_layer *const *layer = tips__layers; *layer; layer++) {
        if (strcmp((*layer)->name, name) == 0) return *layer;
    }
    return NULL;
}

tips_padding tips__same_padding(tips_pad_mode mode, const int kernel[2], const int dilation[2]) {
    const int tall = (kernel[0] - 1) * dilation[0], wide = (kernel[1] - 1) * dilation[1];
    return (tips_padding){.mode = mode, .top = tall / 2, .left = wide / 2, .bottom = tall - tall / 2,
                          .right = wide - wide / 2};
}

static int or_one(int value) { return value == 0 ? 1 : value; }

static tips_conv2d filled_in(tips_conv2d config) {
    for (int i = 0; i < 2; i++) {
        config.stride[i] = or_one(config.stride[i]);
        config.dilation[i] = or_one(config.dilation[i]);
    }
    config.groups = or_one(config.groups);
    return config;
}

tips_value tips__kernel_conv(tips_graph *g, const char *name, tips_value x, tips_kernel_conv config) {
    config.conv = filled_in(config.conv);
    return tips__graph_add(g, &tips__layer_kernel_conv, name, &config, &x, 1);
}

tips_value tips__conv2d(tips_graph *g, const char *name, tips_value x, tips_conv2d config) {
    config = filled_in(config);
    return tips__graph_add(g, &tips__layer_conv2d, name, &config, &x, 1);
}

tips_conv2d tips__same_conv(int out, int kernel, tips_pad_mode mode) {
    const int square[2] = {kernel, kernel}, dense[2] = {1, 1};
    return (tips_conv2d){
        .out = out, .kernel = {kernel, kernel}, .padding = tips__same_padding(mode, square, dense)};
}

tips_value tips__conv_same(tips_graph *g, const char *name, tips_value x, int out, int kernel, tips_pad_mode mode) {
    return tips__conv2d(g, name, x, tips__same_conv(out, kernel, mode));
}

tips_value tips__batch_norm(tips_graph *g, const char *name, tips_value x) {
    const tips_batch_norm config = {0};
    return tips__graph_add(g, &tips__layer_batch_norm, name, &config, &x, 1);
}

tips_value tips__relu(tips_graph *g, const char *name, tips_value x) {
    return tips__graph_add(g, &tips__layer_relu, name, NULL, &x, 1);
}

tips_value tips__add(tips_graph *g, const char *name, tips_value a, tips_value b) {
    return tips__graph_add(g, &tips__layer_add, name, NULL, (const tips_value[]){a, b}, 2);
}
