/* Backbones of detectors, feature pyramids and their anchors. Names are torchvision's. */
#include "arch/detector.h"

#include "arch/decoder.h"
#include "arch/parts.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char usual_backbone[] = "resnet18";

tips_status tips__detector_resolve(const tips_arch *arch, tips_arch_config *config) {
    if (!config->backbone) TIPS_TRY(tips__arch_find(usual_backbone, &config->backbone));
    if (!config->backbone->classify || config->backbone->layout == NULL)
        TIPS_FAIL(TIPS_INVALID,
                  "%s cannot be the backbone of %s; a ResNet, a MobileNet or another of 'tips list archs' can",
                  config->backbone->name, arch->name);
    if (config->output_stride)
        TIPS_FAIL(TIPS_INVALID, "%s has no --output-stride; deeplabv3plus, deeplabv3 and fcn have one", arch->name);
    config->head = TIPS_HEAD_GAP; /* that of the backbone, which is not built, makes no demands */
    TIPS_TRY(config->backbone->resolve(config->backbone, config));
    if (config->up == TIPS_UP_AUTO)
        config->up = tips__pool_traits(&config->pool) & TIPS_POOL_CHOOSES ? TIPS_UP_FOLLOW_NEAREST : TIPS_UP_NEAREST;
    if (config->up != TIPS_UP_FOLLOW_NEAREST && config->up != TIPS_UP_NEAREST)
        TIPS_FAIL(TIPS_INVALID, "the pyramid of %s repeats cells; --up is follow-nearest, nearest or auto", arch->name);
    return TIPS_OK;
}

void tips__detector_features(tips_graph *graph, const tips_arch_config *config, tips_value x, tips_features *out) {
    tips__graph_prefix(graph, "backbone.body.");
    config->backbone->features(graph, config->backbone, config, x, out);
    tips__graph_prefix(graph, NULL);
}

int tips__pyramid_channels(const tips_arch_config *config) { return 4 * config->width; }

tips_value tips__detector_conv(tips_graph *graph, const tips_arch_config *config, const char *name, tips_conv2d conv,
                               tips_value x) {
    conv.padding = tips__same_padding(config->padding, conv.kernel, (const int[2]){1, 1});
    conv.bias = true;
    return tips__conv2d(graph, name, x, conv);
}

static tips_value pyramid_conv(const tips_pyramid *p, const char *name, int kernel, tips_value x) {
    const tips_conv2d conv = {.out = tips__pyramid_channels(p->config), .kernel = {kernel, kernel}, .gain = 1};
    return tips__detector_conv(p->graph, p->config, name, conv, x);
}

/* Whether every level has a map that lies where its stride says. */
static bool has_maps(const tips_pyramid *p) {
    for (int i = p->first; i < p->levels.count; i++) {
        const tips_feature *level = &p->levels.levels[i];
        if (level->map == TIPS_NO_VALUE) return false;
        const tips_value_info *info = tips__value(p->graph, level->map);
        for (int axis = 0; axis < 2; axis++)
            if ((axis ? info->w : info->h) != (p->config->size[axis] + level->stride[axis] - 1) / level->stride[axis])
                return false;
    }
    return true;
}

static tips_status check_levels(const tips_pyramid *p, int count) {
    if (p->first < 0)
        TIPS_FAIL(TIPS_RANGE, "%s with %d downsampling layers has %d levels, and the pyramid takes %d",
                  p->config->backbone->name, p->config->down, p->levels.count, count);
    if (!has_maps(p))
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "%s cannot be the backbone of a detector: it offers no map for each of its levels; ResNets do",
                  p->config->backbone->name);
    return TIPS_OK;
}

void tips__pyramid_build(tips_graph *graph, const tips_arch_config *config, const tips_features *features, int count,
                         tips_pyramid *out) {
    tips_pyramid p = {graph, config, *features, features->count - count};
    const tips_decoder way = {graph, config, features};
    char name[TIPS_PART_NAME];
    *out = p;
    if (tips__features_last(features) == TIPS_NO_VALUE) return;
    tips__graph_fail(graph, check_levels(&p, count));
    tips_value inner = TIPS_NO_VALUE;
    for (int i = count - 1; i >= 0 && p.first >= 0; i--) {
        tips_feature *level = &p.levels.levels[p.first + i];
        snprintf(name, sizeof name, "backbone.fpn.inner_blocks.%d.0", i);
        const tips_value lateral = pyramid_conv(&p, name, 1, level->map);
        if (i == count - 1) inner = lateral;
        else {
            snprintf(name, sizeof name, "backbone.fpn.up.%d", i);
            const tips_value up = tips__decoder_up(&way, name, p.first + i + 1, p.first + i, inner);
            snprintf(name, sizeof name, "backbone.fpn.add.%d", i);
            inner = tips__add(graph, name, lateral, up);
        }
        snprintf(name, sizeof name, "backbone.fpn.layer_blocks.%d.0", i);
        out->levels.levels[p.first + i].map = pyramid_conv(&p, name, 3, inner);
    }
}

/* On a torus of two cells, a maximum over both or a filter makes them equal, and leaves no phase to choose by: where a
 * level becomes one cell the operator stands alone. */
static tips_pool_spec spec_for(const tips_pyramid *p, tips_value x, const int stride[2]) {
    const tips_value_info *info = tips__value(p->graph, x);
    tips_pool_spec spec = p->config->pool;
    if (!(tips__pool_traits(&spec) & TIPS_POOL_CHOOSES) || (info->h > stride[0] && info->w > stride[1])) return spec;
    memset(spec.config.common.before, 0, sizeof spec.config.common.before);
    spec.lpf = 0;
    return spec;
}

void tips__pyramid_append(tips_pyramid *p, const char *name, tips_value x) {
    static const int stride[2] = {2, 2};
    tips_selection selection = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    if (x == TIPS_NO_VALUE) return;
    tips_pool_spec spec = spec_for(p, x, stride);
    spec.config.common.any_scale = true; /* a pyramid has no norms */
    x = tips__pool_add(p->graph, name, &spec, stride, p->config->padding, x, NULL, &selection);
    tips__features_enter(&p->levels, &spec, stride, &selection);
    tips__features_leave(&p->levels, x);
}

/* torchvision's: that of a level is the input's size by the number of cells, where these have no other place. */
static void place_level(const tips_pyramid *p, const tips_feature *level, bool chooses, tips_anchor_level *out) {
    const tips_value_info *info = tips__value(p->graph, level->map);
    for (int axis = 0; axis < 2; axis++) {
        out->cells[axis] = axis ? info->w : info->h;
        out->stride[axis] = chooses ? level->stride[axis] : p->config->size[axis] / out->cells[axis];
    }
}

bool tips__detector_is_small(const int size[2]) { return size[0] < 256 || size[1] < 256; }

/* Published ones are made for pictures of several hundred pixels. */
static double usual_anchor(const tips_arch_config *config, double published) {
    return tips__detector_is_small(config->size) ? published / 2 : published;
}

static int list_phases(const tips_pyramid *p, tips_anchor_origins *config, tips_value *in) {
    int n = 1;
    for (int i = 1; i < p->levels.count; i++) {
        const tips_feature *level = &p->levels.levels[i];
        for (int axis = 0; axis < 2; axis++) config->stride[i - 1][axis] = level->stride[axis] / level[-1].stride[axis];
        if (level->selection.phase != TIPS_NO_VALUE) in[n++] = level->selection.phase;
    }
    config->steps = p->levels.count - 1;
    return n;
}

void tips__pyramid_anchors(const tips_pyramid *p, const tips_anchoring *options, double published, int scales,
                           tips_detector_ends *out) {
    const double anchor = options->anchor > 0 ? options->anchor : usual_anchor(p->config, published);
    tips_value in[TIPS_MOST_LEVELS] = {tips__features_last(&p->levels)};
    tips_anchor_origins config = {.steps = 0};
    const int n = p->first >= 0 && in[0] != TIPS_NO_VALUE ? list_phases(p, &config, in) : 0;
    out->origins = TIPS_NO_VALUE;
    if (n == 0 || tips__graph_status(p->graph) != TIPS_OK) return; /* maps that are not there have no cells */
    out->anchors =
        (tips_anchors){.n_levels = p->levels.count - p->first,
                       .scales = scales,
                       .size = {p->config->size[0], p->config->size[1]},
                       .circular = options->border == TIPS_BORDER_AUTO ? p->config->padding == TIPS_PAD_CIRCULAR
                                                                       : options->border == TIPS_BORDER_CIRCULAR};
    for (int l = 0; l < out->anchors.n_levels; l++) {
        const tips_feature *level = &p->levels.levels[p->first + l];
        place_level(p, level, n > 1, &out->anchors.levels[l]);
        out->anchors.levels[l].base = floor(anchor * level->stride[0]);
        config.depth[l] = p->first + l;
        config.maps[l] = level->map;
    }
    config.anchors = out->anchors;
    out->origins = tips__graph_add(p->graph, &tips__layer_anchor_origins, "origins", &config, in, n);
}
