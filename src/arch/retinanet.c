/* RetinaNet on any backbone: a feature pyramid on its three deepest levels, two more below it, and two heads of four
 * convolutions that all levels share, one for the classes of nine anchors a cell, one for their boxes. Every
 * downsampling of the backbone is the operator, and so are the two below: convolution at stride 1, then the operator,
 * the second behind a ReLU. Names are torchvision's. */
#include "arch/retinanet.h"

#include "arch/parts.h"

#include <math.h>
#include <stdio.h>

enum { BACKBONE_LEVELS = 3, EXTRA_LEVELS = 2, SCALES = 3, CONVOLUTIONS = 4 };
static const double published_anchor = 4; /* cells */

tips_status tips__retinanet_resolve(const tips_arch *arch, tips_arch_config *config) {
    return tips__detector_resolve(arch, config);
}

void tips__retinanet_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                              tips_features *out) {
    (void)arch;
    tips__detector_features(graph, config, x, out);
}

/* P6 from P5, P7 from the rectified P6. */
static void add_extra_levels(tips_pyramid *p) {
    const tips_conv2d conv = {.out = tips__pyramid_channels(p->config), .kernel = {3, 3}, .gain = 1};
    for (int i = 0; i < EXTRA_LEVELS; i++) {
        char name[TIPS_PART_NAME];
        tips_value x = tips__features_last(&p->levels);
        if (i > 0) x = tips__relu(p->graph, "backbone.fpn.extra_blocks.relu", x);
        snprintf(name, sizeof name, "backbone.fpn.extra_blocks.p%d", 6 + i);
        x = tips__detector_conv(p->graph, p->config, name, conv, x);
        snprintf(name, sizeof name, "backbone.fpn.extra_blocks.pool%d", 6 + i);
        tips__pyramid_append(p, name, x);
    }
}

typedef struct head {
    const char *name, *last;
    int out; /* channels for each shape */
    double bias;
} head;

static tips_value add_head(const tips_pyramid *p, const head *h, tips_value x) {
    const int channels = tips__pyramid_channels(p->config);
    tips_conv2d conv = {.out = channels, .kernel = {3, 3}, .deviation = 0.01};
    char name[TIPS_PART_NAME];
    if (p->config->width < 64)
        conv.deviation = 0; /* narrow ones lose their signal on the way, and begin as others do */
    for (int i = 0; i < CONVOLUTIONS; i++) {
        snprintf(name, sizeof name, "head.%s.conv.%d.0", h->name, i);
        x = tips__detector_conv(p->graph, p->config, name, conv, x);
        snprintf(name, sizeof name, "head.%s.conv.%d.1", h->name, i);
        x = tips__relu(p->graph, name, x);
    }
    conv = (tips_conv2d){
        .out = h->out * SCALES * TIPS_ANCHOR_RATIOS, .kernel = {3, 3}, .deviation = 0.01, .bias_start = h->bias};
    snprintf(name, sizeof name, "head.%s.%s", h->name, h->last);
    return tips__detector_conv(p->graph, p->config, name, conv, x);
}

void tips__retinanet_detect(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                            const tips_features *features, const tips_anchoring *options, tips_detector_ends *out) {
    const head boxes = {"regression_head", "bbox_reg", 4, 0};
    const head classes = {"classification_head", "cls_logits", config->classes, -log(99)}; /* a share of 0.01 */
    tips_pyramid p;
    (void)arch;
    tips__pyramid_build(graph, config, features, BACKBONE_LEVELS, &p);
    add_extra_levels(&p);
    tips__pyramid_anchors(&p, options, published_anchor, SCALES, out);
    for (int i = p.first, l = 0; p.first >= 0 && i < p.levels.count; i++, l++) {
        char place[TIPS_PART_NAME];
        snprintf(place, sizeof place, "p%d", l + 3);
        tips__graph_place(graph, place);
        out->boxes[l] = add_head(&p, &boxes, p.levels.levels[i].map);
        out->logits[l] = add_head(&p, &classes, p.levels.levels[i].map);
        tips__graph_place(graph, NULL);
    }
}
