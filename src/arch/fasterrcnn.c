/* Faster R-CNN on any backbone: a feature pyramid on its four deepest levels and one below it, made by the operator
 * alone; a head that all levels share says of three anchors a cell whether there is anything and where; the best of
 * these boxes are regions, which two fully connected layers look at again to say what they show. Every downsampling is
 * the operator. Names are torchvision's. */
#include "arch/fasterrcnn.h"

#include "arch/parts.h"

#include <math.h>
#include <stdio.h>

enum { BACKBONE_LEVELS = 4, SCALES = 1, BINS = 7, SAMPLES = 2 };
static const double published_anchor = 8; /* cells */

tips_status tips__fasterrcnn_resolve(const tips_arch *arch, tips_arch_config *config) {
    return tips__detector_resolve(arch, config);
}

void tips__fasterrcnn_features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                               tips_features *out) {
    (void)arch;
    tips__detector_features(graph, config, x, out);
}

static void add_proposal_head(const tips_pyramid *p, tips_value x, tips_value *logits, tips_value *boxes) {
    const double deviation = p->config->width < 64 ? 0 : 0.01; /* as of RetinaNet's head: narrow ones begin as others */
    tips_conv2d conv = {.out = tips__pyramid_channels(p->config), .kernel = {3, 3}, .deviation = deviation};
    x = tips__detector_conv(p->graph, p->config, "rpn.head.conv.0.0", conv, x);
    x = tips__relu(p->graph, "rpn.head.conv.0.1", x);
    conv = (tips_conv2d){.out = SCALES * TIPS_ANCHOR_RATIOS, .kernel = {1, 1}, .deviation = 0.01};
    *logits = tips__detector_conv(p->graph, p->config, "rpn.head.cls_logits", conv, x);
    conv.out *= 4;
    *boxes = tips__detector_conv(p->graph, p->config, "rpn.head.bbox_pred", conv, x);
}

/* A linear layer for each region, which is a pixel. */
static tips_value region_linear(const tips_pyramid *p, const char *name, int out, double deviation, tips_value x) {
    const tips_conv2d conv = {.out = out, .kernel = {1, 1}, .deviation = deviation, .names = TIPS_NAMES_LINEAR};
    return tips__detector_conv(p->graph, p->config, name, conv, x);
}

static tips_value add_align(const tips_pyramid *p, const tips_detector_ends *d) {
    tips_roi_align config = {.levels = BACKBONE_LEVELS,
                             .bins = BINS,
                             .samples = SAMPLES,
                             .unit = d->anchors.levels[0].base * 1.75, /* 56 pixels, where the smallest anchor has 32 */
                             .circular = d->anchors.circular};
    tips_value in[BACKBONE_LEVELS + 2];
    for (int l = 0; l < BACKBONE_LEVELS; l++) {
        const tips_feature *level = &p->levels.levels[p->first + l];
        for (int axis = 0; axis < 2; axis++) config.stride[l][axis] = level->stride[axis];
        in[l] = level->map;
    }
    in[BACKBONE_LEVELS] = tips__graph_sibling(p->graph, d->proposals, 1);
    in[BACKBONE_LEVELS + 1] = tips__graph_sibling(p->graph, d->origins, 1);
    return tips__graph_add(p->graph, &tips__layer_roi_align, "roi_heads.box_roi_pool", &config, in,
                           BACKBONE_LEVELS + 2);
}

static void add_region_head(const tips_pyramid *p, tips_detector_ends *d) {
    const int width = 16 * p->config->width, outputs = p->config->classes + 1; /* the first: nothing */
    tips_value x = add_align(p, d);
    x = region_linear(p, "roi_heads.box_head.fc6", width, 0, x);
    x = tips__relu(p->graph, "roi_heads.box_head.relu6", x);
    x = region_linear(p, "roi_heads.box_head.fc7", width, 0, x);
    x = tips__relu(p->graph, "roi_heads.box_head.relu7", x);
    d->region_boxes = region_linear(p, "roi_heads.box_predictor.bbox_pred", 4 * outputs, 0.001, x);
    d->region_logits = region_linear(p, "roi_heads.box_predictor.cls_score", outputs, 0.01, x);
}

static void add_proposals(const tips_pyramid *p, const tips_anchoring *options, tips_detector_ends *d) {
    const int levels = d->anchors.n_levels, all = tips__anchor_count(&d->anchors);
    const tips_proposals config = {.anchors = d->anchors,
                                   .candidates = options->candidates,
                                   .most = options->proposals < all ? options->proposals : all,
                                   .overlap = 0.7,
                                   .least = 1e-3};
    tips_value in[2 * TIPS_ANCHOR_LEVELS + 1];
    for (int l = 0; l < levels; l++) in[l] = d->logits[l], in[levels + l] = d->boxes[l];
    in[2 * levels] = tips__graph_sibling(p->graph, d->origins, 1);
    d->proposals = tips__graph_add(p->graph, &tips__layer_proposals, "rpn.proposals", &config, in, 2 * levels + 1);
}

void tips__fasterrcnn_detect(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                             const tips_features *features, const tips_anchoring *options, tips_detector_ends *out) {
    tips_pyramid p;
    (void)arch;
    tips__pyramid_build(graph, config, features, BACKBONE_LEVELS, &p);
    tips__pyramid_append(&p, "backbone.fpn.extra_blocks.pool", tips__features_last(&p.levels));
    tips__pyramid_anchors(&p, options, published_anchor, SCALES, out);
    if (out->origins == TIPS_NO_VALUE) return;
    for (int i = p.first, l = 0; i < p.levels.count; i++, l++) {
        char place[TIPS_PART_NAME];
        snprintf(place, sizeof place, "p%d", l + 2);
        tips__graph_place(graph, place);
        add_proposal_head(&p, p.levels.levels[i].map, &out->logits[l], &out->boxes[l]);
        tips__graph_place(graph, NULL);
    }
    add_proposals(&p, options, out);
    if (out->proposals != TIPS_NO_VALUE) add_region_head(&p, out);
}
