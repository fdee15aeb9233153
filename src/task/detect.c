/* Detection: boxes around things, with their classes. The target is that of task/detect_score.h, the answer an
 * array of tips_detection in pixels of the network's input; heads and anchors are the architecture's. */
#include "task/detect.h"

#include "core/fail.h"
#include "metric/moved_objects.h"
#include "task/detect_regions.h"
#include "task/foreign_boxes.h"

#include <math.h>
#include <string.h>

static const char *const border_names[] = {"auto", "clip", "circular", NULL};

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__detect_measure_rows, .offset = offsetof(tips_detect_config, measure)},
    {.name = "anchor",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_detect_config, anchor),
     .fallback = "0",
     .min = 0,
     .max = 64,
     .help = "size of the smallest anchor of a level, in cells; 0 means as published, 4 for retinanet and 8 for "
             "fasterrcnn, "
             "and half of that for inputs with a side below 256 pixels"},
    {.name = "border",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(tips_detect_config, border),
     .fallback = "auto",
     .choices = border_names,
     .help = "clip cuts boxes off at the border; circular takes the picture as a torus, on which boxes go on from the "
             "other side; auto is circular where the padding is"},
    {.name = "score",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_detect_config, score),
     .fallback = "0.05",
     .min = 0,
     .max = 0.999,
     .help = "boxes with a lower score are left out"},
    {.name = "overlap",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_detect_config, overlap),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "boxes of one class with a larger IoU are one thing: the best of them stays"},
    {.name = "candidates",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_detect_config, candidates),
     .fallback = "1000",
     .min = 1,
     .max = 100000,
     .help = "boxes of a level that are looked at, the best ones"},
    {.name = "detections",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_detect_config, detections),
     .fallback = "0",
     .min = 0,
     .max = 100000,
     .help = "boxes in an answer, the best ones; 0 means as published: 300, and 100 of networks that look at regions"},
    {.name = "proposals",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_detect_config, proposals),
     .fallback = "0",
     .min = 0,
     .max = 10000,
     .help =
         "regions that fasterrcnn looks at, of which training draws from twice as many; 0 means 1000, as published, "
         "and 300 for inputs with a side below 256 pixels"},
    {.name = "sample",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_detect_config, sample),
     .fallback = "0",
     .min = 0,
     .max = 10000,
     .help = "regions of a picture that fasterrcnn learns from; 0 means 512, as published, and 128 for inputs with a "
             "side below 256 pixels"},
    {.name = "objects",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_detect_config, objects),
     .fallback = "128",
     .min = 1,
     .max = 10000,
     .help = "things on a picture that training has room for"},
    {.name = "cut",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_detect_config, cut),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "share of a thing's box that must be left where a border cuts it off; with less the thing is not learned, "
             "and neither to be found nor not to be found"},
    {.type = TIPS_OPT_END},
};

/* What works for small networks from scratch; rates for SGD that do hang on network and data. */
static const tips_usual usual[] = {{"optimizer", "adamw"}, {"clip", "1"}, {"batch", "4"}, {"schedule", "cosine"}, {0}};

static tips_status target(const tips_assignment *a, const tips_annotation *annotation, const tips_move *move,
                          tips_bytes *out) {
    const int n = annotation->n_boxes;
    for (int i = 0; i < n; i++)
        if (annotation->boxes[i].label < 0 || annotation->boxes[i].label >= a->classes)
            TIPS_FAIL(TIPS_RANGE, "a box has class %d, and the network knows %d classes", annotation->boxes[i].label,
                      a->classes);
    return tips__detect_target(move, tips__detect_config_of(a)->cut, annotation->boxes, n, out);
}

static void head(const tips_assignment *a, tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                 const tips_features *features, tips_ends *ends) {
    const tips_detect_config *c = tips__detect_config_of(a);
    tips_detector_ends detector = TIPS_NO_DETECTOR_ENDS;
    const tips_anchoring how = {c->anchor, c->border, c->candidates, tips__regions_proposals(c, config->size)};
    if (tips__foreign_finds(a)) {
        tips__foreign_head(features, ends);
        return;
    }
    if (!arch->detect) {
        tips__graph_fail(graph, tips__fail(TIPS_INVALID, "%s finds no boxes; use --arch retinanet --backbone %s",
                                           arch->name, arch->name));
        return;
    }
    arch->detect(graph, arch, config, features, &how, &detector);
    if (detector.proposals != TIPS_NO_VALUE) {
        tips__regions_outputs(&detector, ends);
        return;
    }
    for (int l = 0; l < detector.anchors.n_levels; l++) ends->outputs[ends->n_outputs++] = detector.logits[l];
    for (int l = 0; l < detector.anchors.n_levels; l++) ends->outputs[ends->n_outputs++] = detector.boxes[l];
    ends->outputs[ends->n_outputs++] = detector.origins;
}

static tips_value add_loss(tips_graph *graph, const tips_layer *layer, const char *name, const void *config,
                           const tips_value *maps, int levels, const tips_value *more, int n_more) {
    tips_value in[TIPS_MAX_IN];
    memcpy(in, maps, (size_t)levels * sizeof *in);
    memcpy(in + levels, more, (size_t)n_more * sizeof *in);
    const tips_value loss = tips__graph_add(graph, layer, name, config, in, levels + n_more);
    tips__graph_loss(graph, loss, 1);
    return loss;
}

static void loss(const tips_assignment *a, tips_graph *graph, tips_ends *ends) {
    const tips_value places = ends->n_outputs ? ends->outputs[ends->n_outputs - 1] : TIPS_NO_VALUE;
    if (places == TIPS_NO_VALUE) return;
    const tips_value truths = ends->targets[ends->n_targets++] =
        tips__graph_index_input(graph, "objects", 1, tips__detect_config_of(a)->objects, TIPS_TRUTH_COLUMNS);
    if (tips__regions_are_outputs(graph, ends)) {
        tips__regions_loss(a, graph, ends, truths);
        return;
    }
    const tips_node *node = tips__graph_node(graph, tips__value(graph, places)->producer);
    const tips_value origins = tips__graph_sibling(graph, places, 1);
    const tips_anchors anchors = ((const tips_anchor_origins *)node->config)->anchors;
    const tips_match_anchors match = {.anchors = anchors, .rule = {.high = 0.5, .low = 0.4}};
    const tips_focal_loss focal = {anchors, a->classes, 0.25, 2, TIPS_OVER_TRUTHS};
    const tips_box_loss distance = {anchors, 0, TIPS_OVER_TRUTHS};
    const tips_value matches =
        tips__graph_add(graph, &tips__layer_match_anchors, "matches", &match, (const tips_value[]){origins, truths}, 2);
    ends->loss = add_loss(graph, &tips__layer_focal_loss, "loss.classification", &focal, ends->outputs,
                          anchors.n_levels, (const tips_value[]){matches, truths}, 2);
    add_loss(graph, &tips__layer_box_loss, "loss.bbox_regression", &distance, ends->outputs + anchors.n_levels,
             anchors.n_levels, (const tips_value[]){matches, origins, truths}, 3);
}

/* What is neither a crowd nor ignored, a row each. */
static tips_status put_objects(const tips_assignment *a, const tips_bytes *target, int32_t *rows) {
    const tips_object *objects = tips__objects(target);
    const int most = tips__detect_config_of(a)->objects;
    int count = 0;
    for (int i = 0; i < tips__objects_in(target); i++) {
        const tips_object *o = &objects[i];
        if (o->crowd || o->ignore) continue;
        if (count++ == most)
            TIPS_FAIL(TIPS_RANGE, "there are more than %d things on a picture; --task detect:objects=N makes room",
                      most);
        const double corners[] = {o->x, o->y, o->x + o->w, o->y + o->h};
        for (int c = 0; c < 4; c++) *rows++ = (int32_t)lrint(corners[c] * TIPS_TRUTH_PARTS);
        *rows++ = o->label;
        *rows++ = 1;
    }
    return TIPS_OK;
}

static tips_status put(const tips_assignment *a, tips_net *net, const tips_ends *ends, const tips_bytes *targets, int n,
                       tips_bytes *room) {
    const size_t numbers = (size_t)tips__detect_config_of(a)->objects * TIPS_TRUTH_COLUMNS;
    TIPS_TRY(tips__bytes_resize(room, (size_t)n * numbers * sizeof(int32_t)));
    int32_t *rows = (int32_t *)(void *)room->data;
    memset(rows, 0, room->count);
    for (int i = 0; i < n; i++) TIPS_TRY(put_objects(a, &targets[i], rows + (size_t)i * numbers));
    return tips__net_set_index(net, ends->targets[0], rows);
}

const tips_task tips__task_detect = {
    .name = "detect",
    .brief = "boxes around things, with their classes",
    .flags = TIPS_TASK_GRADED | TIPS_TASK_BOXES,
    .options = options,
    .config_size = sizeof(tips_detect_config),
    .needs = TIPS_ANNOTATES_BOXES,
    .protocol = "segment",
    .usual = usual,
    .target = target,
    .head = head,
    .loss = loss,
    .put = put,
    .answer = tips__detect_answer,
    .agree = tips__detect_agree,
    .say = tips__detect_say,
    .draw = tips__detect_draw,
    .draw_target = tips__detect_draw_target,
    .draw_difference = tips__detect_draw_difference,
    .metrics = tips__detect_metrics,
    .score = tips__detect_score,
    .figures = tips__detect_figures,
    .class_metric = "ap",
    .class_figure = tips__detect_class_figure,
    .shift_score = tips__detect_shift_score,
    .shift_figures = tips__detect_shift_figures,
};
