/* DeepLabV3: the backbone's last map seen at five scales at once (a 1x1 convolution, three 3x3 ones with spread
 * windows, and the mean of the map), then a 3x3 and a 1x1 convolution, enlarged to the input's size. Names are those
 * of torchvision.
 * DeepLabV3+: the scales are enlarged to a finer level and joined with it before those convolutions. Names are those of
 * the implementation that is in use for it, VainF's.
 * Widths are those published at a backbone of width 64, and shrink and grow with it. */
#include "arch/deeplab.h"

#include "arch/decoder.h"
#include "arch/parts.h"

#include <stdio.h>

tips_status tips__deeplab_resolve(const tips_arch *arch, tips_arch_config *config) {
    return tips__segmenter_resolve(arch, config, TIPS_UP_BILINEAR, arch->layout[0] == PLUS ? 16 : 8);
}

void tips__deeplab_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                            tips_features *out) {
    (void)arch;
    tips__segmenter_features(graph, config, "backbone.", x, out);
}

static int at_width(const tips_decoder *d, int channels) {
    const int scaled = channels * d->config->width / 64;
    return scaled > 1 ? scaled : 1;
}

typedef struct scale_name {
    char conv[TIPS_PART_NAME], norm[TIPS_PART_NAME];
} scale_name;

static scale_name name_of(const char *prefix, const char *part, int conv, int norm) {
    scale_name name;
    snprintf(name.conv, sizeof name.conv, "%s%s.%d", prefix, part, conv);
    snprintf(name.norm, sizeof name.norm, "%s%s.%d", prefix, part, norm);
    return name;
}

static tips_value convolve(const tips_decoder *d, scale_name name, tips_value x, tips_decoder_conv c) {
    return tips__decoder_conv(d, name.conv, name.norm, x, c);
}

/* The mean of the map, at every place of it. */
static tips_value whole_map(const tips_decoder *d, const char *prefix, tips_value x, int out) {
    char name[TIPS_PART_NAME];
    const tips_value_info size = *tips__value(d->graph, x);
    const tips_resize spread = {.mode = TIPS_RESIZE_NEAREST, .grid = TIPS_GRID_ASYMMETRIC, .round = TIPS_ROUND_FLOOR,
                                .size = {size.h, size.w}};
    snprintf(name, sizeof name, "%sconvs.4.0", prefix);
    x = tips__graph_add(d->graph, &tips__layer_global_avg, name, NULL, &x, 1);
    x = convolve(d, name_of(prefix, "convs.4", 1, 2), x, (tips_decoder_conv){.out = out, .kernel = 1});
    snprintf(name, sizeof name, "%sconvs.4.spread", prefix);
    return tips__graph_add(d->graph, &tips__layer_resize, name, &spread, &x, 1);
}

/* The atrous spatial pyramid. */
static tips_value pyramid(const tips_decoder *d, const char *prefix, double dropout, tips_value x) {
    static const char *const parts[] = {"convs.0", "convs.1", "convs.2", "convs.3"};
    const int out = at_width(d, 256), rate = d->config->atrous > 1 ? 12 : 6;
    char name[TIPS_PART_NAME];
    tips_value scales[5];
    if (x == TIPS_NO_VALUE) return x;
    for (int i = 0; i < 4; i++)
        scales[i] = convolve(d, name_of(prefix, parts[i], 0, 1), x,
                             (tips_decoder_conv){.out = out, .kernel = i ? 3 : 1, .dilation = i * rate});
    scales[4] = whole_map(d, prefix, x, out);
    snprintf(name, sizeof name, "%sconcat", prefix);
    x = tips__graph_add(d->graph, &tips__layer_concat, name, NULL, scales, 5);
    x = convolve(d, name_of(prefix, "project", 0, 1), x, (tips_decoder_conv){.out = out, .kernel = 1});
    snprintf(name, sizeof name, "%sproject.3", prefix);
    return tips__part_dropout(d->graph, name, d->config, dropout, x);
}

/* The level that is joined in: four pixels to a cell with the imagenet stem, else two levels above the deepest. */
static int finer_level(const tips_decoder *d) {
    const int last = d->features->count - 1;
    if (d->config->stem != TIPS_STEM_IMAGENET) return last > 2 ? last - 2 : 0;
    for (int i = 0; i < last; i++)
        if (d->features->levels[i].stride[0] == 4) return i;
    return last > 0 ? last - 1 : 0;
}

static tips_value plus(const tips_decoder *d, tips_value x) {
    const int last = d->features->count - 1, finer = finer_level(d);
    const tips_value low = convolve(d, name_of("classifier.", "project", 0, 1), d->features->levels[finer].map,
                                    (tips_decoder_conv){.out = at_width(d, 48), .kernel = 1});
    x = tips__decoder_up(d, "classifier.up", last, finer, pyramid(d, "classifier.aspp.", 0.1, x));
    x = tips__decoder_concat(d, "classifier.concat", low, x);
    x = convolve(d, name_of("classifier.", "classifier", 0, 1), x,
                 (tips_decoder_conv){.out = at_width(d, 256), .kernel = 3});
    return tips__decoder_up(d, "up", finer, 0, tips__decoder_logits(d, "classifier.classifier.3", 1, x));
}

static tips_value plain(const tips_decoder *d, tips_value x) {
    x = pyramid(d, "classifier.0.", 0.5, x);
    x = tips__decoder_conv(d, "classifier.1", "classifier.2", x,
                           (tips_decoder_conv){.out = at_width(d, 256), .kernel = 3});
    return tips__decoder_up(d, "up", d->features->count - 1, 0, tips__decoder_logits(d, "classifier.4", 1, x));
}

tips_value tips__deeplab_segment(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                                 const tips_features *features) {
    const tips_decoder d = {graph, config, features};
    const tips_value x = tips__features_last(features);
    return arch->layout[0] == PLUS ? plus(&d, x) : plain(&d, x);
}
