/* Backbones of segmentation networks, and the way back up their levels. */
#include "arch/decoder.h"

#include "arch/parts.h"
#include "core/fail.h"
#include "layer/layers.h"

#include <stdio.h>

static const char usual_backbone[] = "resnet18";

/* Only these know how to keep the size. */
static bool spreads_windows(const tips_arch *arch) {
    const tips_arch *resnet;
    return tips__arch_find(usual_backbone, &resnet) == TIPS_OK && arch->resolve == resnet->resolve;
}

/* How many stages keep the size, so that the last map has cells of at most `wanted` pixels. */
static tips_status resolve_atrous(const tips_arch *arch, tips_arch_config *config, int wanted) {
    const int all = 1 << config->down, most = all > 4 ? 2 : 1;
    config->atrous = 0;
    while (all >> config->atrous > wanted) config->atrous++;
    config->output_stride = all >> config->atrous;
    if (wanted < 1 || (wanted & (wanted - 1)) || config->atrous > most)
        TIPS_FAIL(TIPS_RANGE, "%s with %s and %d downsampling layers has an output stride of %d, %d or %d, not %d",
                  arch->name, config->backbone->name, config->down, all, all / 2, all >> most, wanted);
    if (config->atrous && !spreads_windows(config->backbone))
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "%s on %s needs an output stride of %d: ResNets alone can keep the size of their last stages",
                  arch->name, config->backbone->name, all);
    return TIPS_OK;
}

static tips_up resolve_up(const tips_arch_config *config, tips_up published) {
    if (config->up != TIPS_UP_AUTO) return config->up;
    return tips__pool_traits(&config->pool) & TIPS_POOL_CHOOSES ? TIPS_UP_INSERT : published;
}

tips_status tips__segmenter_resolve(const tips_arch *arch, tips_arch_config *config, tips_up published,
                                    int output_stride) {
    if (!config->backbone) TIPS_TRY(tips__arch_find(usual_backbone, &config->backbone));
    if (!config->backbone->classify || config->backbone->layout == NULL)
        TIPS_FAIL(TIPS_INVALID,
                  "%s cannot be the backbone of %s; a ResNet, a MobileNet or another of 'tips list archs' can",
                  config->backbone->name, arch->name);
    config->head = TIPS_HEAD_GAP; /* that of the backbone, which is not built, makes no demands */
    TIPS_TRY(config->backbone->resolve(config->backbone, config));
    const int wanted = config->output_stride ? config->output_stride : output_stride;
    if (output_stride) TIPS_TRY(resolve_atrous(arch, config, wanted));
    else if (config->output_stride && config->output_stride != 1 << config->down)
        TIPS_FAIL(TIPS_RANGE, "%s goes back up every level: its output stride is %d; --down changes it", arch->name,
                  1 << config->down);
    config->up = resolve_up(config, published);
    return TIPS_OK;
}

/* A level that a decoder can join: its cells lie where its stride says. */
static bool is_map_of(const tips_graph *graph, const tips_feature *level, const tips_arch_config *config) {
    if (level->map == TIPS_NO_VALUE) return false;
    const tips_value_info *info = tips__value(graph, level->map);
    for (int axis = 0; axis < 2; axis++) {
        const int size = axis ? info->w : info->h, stride = level->stride[axis];
        if (size != (config->size[axis] + stride - 1) / stride) return false;
    }
    return info->per_sample == 1;
}

void tips__segmenter_features(tips_graph *graph, const tips_arch_config *config, const char *prefix, tips_value x,
                              tips_features *out) {
    tips__graph_prefix(graph, prefix);
    config->backbone->features(graph, config->backbone, config, x, out);
    tips__graph_prefix(graph, NULL);
    if (tips__features_last(out) == TIPS_NO_VALUE) return;
    for (int i = 0; i < out->count; i++)
        if (!is_map_of(graph, &out->levels[i], config)) {
            tips__graph_fail(graph, tips__fail(TIPS_UNSUPPORTED,
                                               "%s cannot be the backbone of a segmentation network: it offers no map "
                                               "for each of its levels; ResNets do",
                                               config->backbone->name));
            return;
        }
}

static void factors(const tips_decoder *d, int level, int stride[2]) {
    const tips_feature *levels = d->features->levels;
    for (int axis = 0; axis < 2; axis++) stride[axis] = levels[level].stride[axis] / levels[level - 1].stride[axis];
}

/* A map that was extended on the way down is cut back to what it was. */
static tips_value cut(const tips_decoder *d, const char *name, tips_value x, int height, int width) {
    static const char *const ends[] = {"rows", "columns"};
    const int wanted[2] = {height, width};
    for (int axis = 0; axis < 2 && x != TIPS_NO_VALUE; axis++) {
        const tips_value_info *info = tips__value(d->graph, x);
        if ((axis ? info->w : info->h) == wanted[axis]) continue;
        char part[TIPS_PART_NAME];
        const tips_slice config = {.axis = axis ? TIPS_AXIS_W : TIPS_AXIS_H, .stop = wanted[axis], .step = 1};
        snprintf(part, sizeof part, "%s.%s", name, ends[axis]);
        x = tips__graph_add(d->graph, &tips__layer_slice, part, &config, &x, 1);
    }
    return x;
}

/* With the phase behind it, if one was chosen. */
static tips_value add_at_phase(const tips_decoder *d, const tips_layer *layer, const char *name, const void *config,
                               int level, tips_value x) {
    const tips_value in[2] = {x, d->features->levels[level].selection.phase};
    return tips__graph_add(d->graph, layer, name, config, in, in[1] == TIPS_NO_VALUE ? 1 : 2);
}

static tips_value insert(const tips_decoder *d, const char *name, int level, const int stride[2], tips_value x) {
    char part[TIPS_PART_NAME];
    const tips_strided unpool = {{stride[0], stride[1]}};
    const int own = d->config->pool.lpf;
    const tips_lpf filter = {.size = own ? own : 3, .mode = d->config->padding, .gain = stride[0] * stride[1]};
    snprintf(part, sizeof part, "%s.insert", name);
    x = add_at_phase(d, &tips__layer_unpool, part, &unpool, level, x);
    snprintf(part, sizeof part, "%s.lpf", name);
    return tips__graph_add(d->graph, &tips__layer_lpf, part, &filter, &x, 1);
}

/* Windows are those of the stride: every pixel is made of one cell. */
static tips_value transpose(const tips_decoder *d, const char *name, int level, const int stride[2], int out,
                            tips_value x) {
    const tips_conv_transpose config = {.conv = {.out = out, .kernel = {stride[0], stride[1]},
                                                 .stride = {stride[0], stride[1]}, .dilation = {1, 1}, .groups = 1,
                                                 .padding = {.mode = TIPS_PAD_ZERO}, .bias = true, .gain = 1}};
    if (d->config->up == TIPS_UP_PLAIN_TRANSPOSE)
        return tips__graph_add(d->graph, &tips__layer_conv_transpose, name, &config, &x, 1);
    return add_at_phase(d, &tips__layer_conv_transpose, name, &config, level, x);
}

static bool is_transpose(const tips_decoder *d) {
    return d->config->up == TIPS_UP_TRANSPOSE || d->config->up == TIPS_UP_PLAIN_TRANSPOSE;
}

tips_value tips__decoder_up_to(const tips_decoder *d, const char *name, int level, int out, tips_value x) {
    int stride[2];
    if (!is_transpose(d) || x == TIPS_NO_VALUE) return tips__decoder_up(d, name, level, level - 1, x);
    factors(d, level, stride);
    const tips_value_info to = *tips__value(d->graph, d->features->levels[level - 1].map);
    return cut(d, name, transpose(d, name, level, stride, out, x), to.h, to.w);
}

/* One level up. */
static tips_value up_one(const tips_decoder *d, const char *name, int level, tips_value x) {
    int stride[2];
    factors(d, level, stride);
    if (x == TIPS_NO_VALUE || (stride[0] == 1 && stride[1] == 1)) return x;
    const tips_value_info to = *tips__value(d->graph, d->features->levels[level - 1].map);
    const tips_upsample follow = {.stride = {stride[0], stride[1]},
                                  .mode = d->config->up == TIPS_UP_FOLLOW_NEAREST ? TIPS_UPSAMPLE_NEAREST
                                                                                  : TIPS_UPSAMPLE_LINEAR};
    const tips_resize nearest = {.mode = TIPS_RESIZE_NEAREST, .grid = TIPS_GRID_ASYMMETRIC, .round = TIPS_ROUND_FLOOR,
                                 .scale_h = stride[0], .scale_w = stride[1]};
    if (is_transpose(d)) x = transpose(d, name, level, stride, tips__value(d->graph, x)->c, x);
    else if (d->config->up == TIPS_UP_INSERT) x = insert(d, name, level, stride, x);
    else if (d->config->up == TIPS_UP_NEAREST)
        x = tips__graph_add(d->graph, &tips__layer_resize, name, &nearest, &x, 1);
    else x = add_at_phase(d, &tips__layer_upsample, name, &follow, level, x);
    return cut(d, name, x, to.h, to.w);
}

static tips_value up_at_once(const tips_decoder *d, const char *name, int to, tips_value x) {
    const tips_value_info size = *tips__value(d->graph, d->features->levels[to].map);
    const tips_resize config = {.mode = TIPS_RESIZE_LINEAR, .grid = TIPS_GRID_HALF_PIXEL, .size = {size.h, size.w}};
    if (x == TIPS_NO_VALUE) return x;
    const tips_value_info *now = tips__value(d->graph, x);
    if (now->h == size.h && now->w == size.w) return x;
    return tips__graph_add(d->graph, &tips__layer_resize, name, &config, &x, 1);
}

tips_value tips__decoder_up(const tips_decoder *d, const char *name, int from, int to, tips_value x) {
    if (d->config->up == TIPS_UP_BILINEAR) return up_at_once(d, name, to, x);
    if (from == to + 1) return up_one(d, name, from, x);
    for (int level = from; level > to; level--) {
        char part[TIPS_PART_NAME];
        snprintf(part, sizeof part, "%s.%d", name, from - level);
        x = up_one(d, part, level, x);
    }
    return x;
}

tips_value tips__decoder_conv(const tips_decoder *d, const char *conv, const char *norm, tips_value x,
                              tips_decoder_conv c) {
    char relu[TIPS_PART_NAME];
    tips_conv2d config = tips__same_conv(c.out, c.kernel, d->config->padding);
    config.dilation[0] = config.dilation[1] = c.dilation ? c.dilation : 1;
    config.padding = tips__same_padding(d->config->padding, config.kernel, config.dilation);
    x = tips__conv_norm(d->graph, conv, norm, &d->config->norm, &config, x);
    snprintf(relu, sizeof relu, "%s.relu", conv);
    return tips__relu(d->graph, relu, x);
}

tips_value tips__decoder_logits(const tips_decoder *d, const char *name, int kernel, tips_value x) {
    tips_conv2d config = tips__same_conv(d->config->classes, kernel, d->config->padding);
    config.bias = true;
    config.gain = 1;
    return tips__conv2d(d->graph, name, x, config);
}

tips_value tips__decoder_concat(const tips_decoder *d, const char *name, tips_value a, tips_value b) {
    const tips_value both[2] = {a, b};
    return tips__graph_add(d->graph, &tips__layer_concat, name, NULL, both, 2);
}
