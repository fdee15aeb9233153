/* Two stages: proposals, and what the regions show. */
#include "task/detect_regions.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { LOGITS, CODES, REGIONS, ORIGINS, OUTPUTS };
static const double beta = 1.0 / 9;
static const tips_box_weights region_weights = {10, 5};
static const double least_side = 1e-2;

void tips__regions_outputs(const tips_detector_ends *d, tips_ends *ends) {
    const tips_value values[OUTPUTS] = {
        [LOGITS] = d->region_logits, [CODES] = d->region_boxes, [REGIONS] = d->proposals, [ORIGINS] = d->origins};
    for (int i = 0; i < OUTPUTS; i++) ends->outputs[ends->n_outputs++] = values[i];
}

static const tips_node *producer(const tips_graph *graph, tips_value value) {
    const int id = value == TIPS_NO_VALUE ? -1 : tips__value(graph, value)->producer;
    return id < 0 ? NULL : tips__graph_node(graph, id);
}

bool tips__regions_are_outputs(const tips_graph *graph, const tips_ends *ends) {
    const tips_node *node = ends->n_outputs == OUTPUTS ? producer(graph, ends->outputs[REGIONS]) : NULL;
    return node && node->layer == &tips__layer_proposals;
}

int tips__regions_proposals(const tips_detect_config *c, const int size[2]) {
    if (c->proposals > 0) return c->proposals;
    return tips__detector_is_small(size) ? 300 : 1000;
}

static int sample_of(const tips_detect_config *c, const int size[2]) {
    if (c->sample > 0) return c->sample;
    return tips__detector_is_small(size) ? 128 : 512;
}

static tips_value add_loss(tips_graph *graph, const tips_layer *layer, const char *name, const void *config,
                           const tips_value *in, int n) {
    const tips_value loss = tips__graph_add(graph, layer, name, config, in, n);
    tips__graph_loss(graph, loss, 1);
    return loss;
}

/* Whether there is anything, and where: of 256 anchors, half of them with a truth if there are so many. */
static void add_proposal_losses(tips_graph *graph, const tips_node *proposals, tips_value truths) {
    const tips_anchors anchors = ((const tips_proposals *)proposals->config)->anchors;
    const int levels = anchors.n_levels;
    const tips_value origins = proposals->in[2 * levels];
    const tips_match_anchors match = {anchors, {.high = 0.7, .low = 0.3, .sample = 256, .share = 0.5}};
    const tips_focal_loss yes_or_no = {anchors, 1, -1, 0, TIPS_OVER_COUNTED};
    const tips_box_loss distance = {anchors, beta, TIPS_OVER_COUNTED};
    tips_value logits[TIPS_MAX_IN], codes[TIPS_MAX_IN];
    memcpy(logits, proposals->in, (size_t)levels * sizeof *logits);
    memcpy(codes, proposals->in + levels, (size_t)levels * sizeof *codes);
    const tips_value matches = tips__graph_add(graph, &tips__layer_match_anchors, "rpn.matches", &match,
                                               (const tips_value[]){origins, truths}, 2);
    logits[levels] = codes[levels] = matches;
    logits[levels + 1] = codes[levels + 2] = truths;
    codes[levels + 1] = origins;
    add_loss(graph, &tips__layer_focal_loss, "loss.objectness", &yes_or_no, logits, levels + 2);
    add_loss(graph, &tips__layer_box_loss, "loss.rpn_box_reg", &distance, codes, levels + 3);
}

/* Twice as many candidates and regions as are looked at otherwise, and some of those are drawn. */
static tips_value draw_regions(const tips_assignment *a, tips_graph *graph, const tips_node *proposals,
                               tips_value truths) {
    const tips_detect_config *c = tips__detect_config_of(a);
    tips_proposals more = *(const tips_proposals *)proposals->config;
    tips_value in[TIPS_MAX_IN];
    more.candidates *= 2;
    more.most *= 2;
    memcpy(in, proposals->in, sizeof in);
    const tips_value all =
        tips__graph_add(graph, &tips__layer_proposals, "rpn.proposals.more", &more, in, proposals->n_in);
    const tips_sample_rois draw = {
        .size = {more.anchors.size[0], more.anchors.size[1]},
        .circular = more.anchors.circular,
        .rule = {.high = 0.5, .low = 0.5, .sample = sample_of(c, more.anchors.size), .share = 0.25}};
    return tips__graph_add(graph, &tips__layer_sample_rois, "roi_heads.drawn", &draw,
                           (const tips_value[]){tips__graph_sibling(graph, all, 1), truths}, 2);
}

/* `value` computed again, with `to` in the place of `from`, by layers that share their parameters with the first ones.
 * What does not come from there stays. */
static tips_value again(tips_graph *graph, tips_value value, tips_value from, tips_value to, tips_value *made) {
    const tips_node *node = producer(graph, value);
    tips_value in[TIPS_MAX_IN];
    bool differs = false;
    if (value == from) return to;
    if (!node || node->out[0] != value) return value;
    if (made[node->id] != TIPS_NO_VALUE) return made[node->id];
    for (int i = 0; i < node->n_in; i++) {
        in[i] = again(graph, node->in[i], from, to, made);
        differs = differs || in[i] != node->in[i];
    }
    made[node->id] = differs ? tips__graph_add(graph, node->layer, node->name, node->config, in, node->n_in) : value;
    return made[node->id];
}

static tips_status add_second_head(tips_graph *graph, const tips_ends *ends, tips_value drawn, tips_value out[2]) {
    const tips_value from = tips__graph_sibling(graph, ends->outputs[REGIONS], 1);
    const int nodes = tips__graph_node_count(graph);
    tips_value *made;
    TIPS_TRY(tips__new(&made, (size_t)nodes * sizeof *made, "a second head"));
    for (int i = 0; i < nodes; i++) made[i] = TIPS_NO_VALUE;
    tips__graph_place(graph, "drawn");
    for (int i = 0; i < 2; i++) out[i] = again(graph, ends->outputs[i], from, drawn, made);
    tips__graph_place(graph, NULL);
    tips__free(made);
    return TIPS_OK;
}

void tips__regions_loss(const tips_assignment *a, tips_graph *graph, tips_ends *ends, tips_value truths) {
    const tips_node *proposals = producer(graph, ends->outputs[REGIONS]);
    const tips_anchors *anchors = &((const tips_proposals *)proposals->config)->anchors;
    const tips_roi_box_loss distance = {{anchors->size[0], anchors->size[1]}, anchors->circular, region_weights, beta};
    tips_value heads[2] = {TIPS_NO_VALUE, TIPS_NO_VALUE};
    add_proposal_losses(graph, proposals, truths);
    const tips_value drawn = draw_regions(a, graph, proposals, truths);
    if (drawn == TIPS_NO_VALUE) return;
    const tips_value matches = tips__graph_sibling(graph, drawn, 1), labels = tips__graph_sibling(graph, drawn, 2);
    tips__graph_fail(graph, add_second_head(graph, ends, drawn, heads));
    ends->loss =
        add_loss(graph, &tips__layer_pixel_cross_entropy, "loss.classifier",
                 &(tips_pixel_cross_entropy){TIPS_MATCH_IGNORED}, (const tips_value[]){heads[LOGITS], labels}, 2);
    add_loss(graph, &tips__layer_roi_box_loss, "loss.box_reg", &distance,
             (const tips_value[]){heads[CODES], drawn, matches, truths}, 4);
}

/* The outputs of one sample. */
typedef struct found {
    tips_anchors anchors;
    const float *values[OUTPUTS];
    int regions, classes;
} found;

static tips_status read_outputs(const tips_assignment *a, const tips_outputs *outputs, int i, found *out) {
    tips_origins origins;
    for (int k = 0; k < OUTPUTS; k++) out->values[k] = outputs->values[k] + (size_t)i * outputs->floats[k];
    out->classes = a->classes;
    out->regions = (int)(outputs->floats[REGIONS] / TIPS_REGION_NUMBERS);
    const size_t each = (size_t)out->regions * ((size_t)a->classes + 1), rows = TIPS_ANCHOR_COLUMNS;
    if (outputs->floats[LOGITS] != each || outputs->floats[CODES] != 4 * each || outputs->floats[ORIGINS] % rows ||
        !tips__anchors_read(out->values[ORIGINS], (int)(outputs->floats[ORIGINS] / rows), &out->anchors, &origins))
        TIPS_FAIL(TIPS_SHAPE, "the network's outputs are not those of a detector of %d classes", a->classes);
    return TIPS_OK;
}

static double value_of(const found *f, int output, int channel, int region) {
    return f->values[output][(size_t)channel * (size_t)f->regions + (size_t)region];
}

/* Logarithm of the sum of the exponentials of a region's logits. */
static double log_sum(const found *f, int region) {
    double most = -INFINITY, sum = 0;
    for (int k = 0; k <= f->classes; k++) most = fmax(most, value_of(f, LOGITS, k, region));
    for (int k = 0; k <= f->classes; k++) sum += exp(value_of(f, LOGITS, k, region) - most);
    return most + log(sum);
}

/* The box that a class makes of a region; false if it is next to nothing. */
static bool box_of(const found *f, const tips_region *region, int number, int label, tips_corners *out) {
    const tips_corners from = tips__region_corners(region);
    double code[4];
    for (int k = 0; k < 4; k++) code[k] = value_of(f, CODES, (label + 1) * 4 + k, number);
    const tips_corners box = tips__box_decode(&from, code, region_weights);
    *out = f->anchors.circular ? tips__corners_wrapped(&box, f->anchors.size)
                               : tips__corners_clipped(&box, f->anchors.size);
    return out->x2 - out->x1 >= least_side && out->y2 - out->y1 >= least_side;
}

static tips_status list_region(const found *f, double least, int number, tips_bytes *list, int *count) {
    float numbers[TIPS_REGION_NUMBERS];
    tips_region region;
    for (int k = 0; k < TIPS_REGION_NUMBERS; k++) numbers[k] = (float)value_of(f, REGIONS, k, number);
    if (!tips__region_read(numbers, &region)) return TIPS_OK;
    const double sum = log_sum(f, number);
    for (int label = 0; label < f->classes; label++) {
        tips_candidate one = {.score = exp(value_of(f, LOGITS, label + 1, number) - sum),
                              .label = label,
                              .place = number * f->classes + label};
        if (one.score > least && box_of(f, &region, number, label, &one.box))
            TIPS_TRY(tips__detect_candidate_add(list, count, one));
    }
    return TIPS_OK;
}

static tips_status answer(const tips_assignment *a, const found *f, tips_bytes *list, tips_bytes *out) {
    const tips_detect_config *c = tips__detect_config_of(a);
    int count = 0;
    for (int i = 0; i < f->regions; i++) TIPS_TRY(list_region(f, c->score, i, list, &count));
    return tips__detect_finish(a, list, count, tips__anchor_torus(&f->anchors), c->detections ? c->detections : 100,
                               out);
}

tips_status tips__regions_answer(const tips_assignment *a, const tips_outputs *outputs, int i, tips_bytes *out) {
    tips_bytes list = {0};
    found f;
    TIPS_TRY(read_outputs(a, outputs, i, &f));
    const tips_status status = answer(a, &f, &list, out);
    tips__bytes_clear(&list);
    return status;
}
