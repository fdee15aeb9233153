/* Scores, decoding, suppression and order of boxes in basic operators, for any number of pictures at once. */
#include "export/onnx_boxes.h"

#include "core/fail.h"
#include "core/memory.h"
#include "layer/detection_layers.h"
#include "task/detect.h"

#include <math.h>
#include <stdio.h>

static tips_status refuse(const tips_model_info *info) {
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s cannot be exported: detectors with one head for all anchors can", info->arch->name);
}

static bool has_shape(const tips_graph *graph, tips_value value, int channels, const tips_anchor_level *level) {
    const tips_value_info *info = tips__value(graph, value);
    return info->c == channels && info->h == level->cells[0] && info->w == level->cells[1];
}

tips_status tips__onnx_boxes_read(const tips_model_info *info, const tips_graph *graph, tips_onnx_boxes *out) {
    const int outputs = tips__graph_output_count(graph);
    if (info->config.blueprint || outputs < 3) return refuse(info);
    const tips_value last = tips__graph_output_at(graph, outputs - 1);
    const tips_value_info *rows = tips__value(graph, last);
    if (rows->producer < 0) return refuse(info);
    const tips_node *node = tips__graph_node(graph, rows->producer);
    if (node->layer != &tips__layer_anchor_origins) return refuse(info);
    *out = (tips_onnx_boxes){.graph = graph,
                             .anchors = ((const tips_anchor_origins *)node->config)->anchors,
                             .origins = last,
                             .assignment = {.spec = info->task, .classes = info->config.classes}};
    const int levels = out->anchors.n_levels, shapes = tips__anchor_shapes(&out->anchors);
    if (outputs != 2 * levels + 1) return refuse(info);
    for (int l = 0; l < levels; l++) {
        out->logits[l] = tips__graph_output_at(graph, l);
        out->codes[l] = tips__graph_output_at(graph, levels + l);
        if (!has_shape(graph, out->logits[l], shapes * info->config.classes, &out->anchors.levels[l]) ||
            !has_shape(graph, out->codes[l], shapes * 4, &out->anchors.levels[l]))
            return refuse(info);
        snprintf(out->names[2 * l], sizeof out->names[0], "logits.%d", l);
        snprintf(out->names[2 * l + 1], sizeof out->names[0], "codes.%d", l);
    }
    return TIPS_OK;
}

static int anchors_on(const tips_onnx_boxes *b, int level) {
    return tips__anchor_cells(&b->anchors.levels[level]) * tips__anchor_shapes(&b->anchors);
}

/* (n, shapes * numbers, h, w) as (n, cells * shapes, numbers): anchors in the order of rows, columns and shapes. */
static tips_operand emit_rows(tips_emitter *to, const tips_onnx_boxes *b, int level, tips_operand map, int numbers) {
    const int64_t apart[] = {0, tips__anchor_shapes(&b->anchors), numbers,
                             tips__anchor_cells(&b->anchors.levels[level])};
    const tips_operand parts = tips__emit_reshape(to, map, apart, 4);
    const tips_operand turned =
        tips__emit_op(to, "Transpose", TIPS_OPERANDS(parts), TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 3, 1, 2)));
    return tips__emit_reshape(to, turned, (const int64_t[]){0, anchors_on(b, level), numbers}, 3);
}

/* The best of a level keep their scores, the others have none. */
static tips_operand emit_scores(tips_emitter *to, const tips_onnx_boxes *b, int level) {
    const int most = tips__detect_config_of(&b->assignment)->candidates, classes = b->assignment.classes;
    const int count = anchors_on(b, level) * classes;
    const tips_operand rows = emit_rows(to, b, level, tips__emit_value(to, b->logits[level]), classes);
    const tips_operand scores = tips__emit_unary(to, "Sigmoid", rows);
    if (count <= most) return scores;
    const tips_operand flat = tips__emit_reshape(to, scores, (const int64_t[]){0, count}, 2);
    const tips_operand best =
        tips__emit_op_many(to, "TopK", TIPS_OPERANDS(flat, tips__emit_ints(to, (const int64_t[]){most}, 1)), NULL, 2);
    const tips_operand none = tips__emit_binary(to, "Mul", flat, tips__emit_float(to, 0));
    const tips_operand kept =
        tips__emit_op(to, "ScatterElements", TIPS_OPERANDS(none, best + 1, best), TIPS_WITH(TIPS_WITH_INT("axis", 1)));
    return tips__emit_reshape(to, kept, (const int64_t[]){0, anchors_on(b, level), classes}, 3);
}

/* Of all anchors on a grid that begins at 0: centre and size, (anchors, 2) each, right and down; and their levels. */
static tips_status emit_anchors(tips_emitter *to, const tips_onnx_boxes *b, tips_operand *centres, tips_operand *sizes,
                                tips_operand *levels) {
    const int count = tips__anchor_count(&b->anchors), shapes = tips__anchor_shapes(&b->anchors);
    const tips_origins zero = {{{0}}};
    const int64_t dims[] = {count, 2};
    float *numbers;
    int64_t *level_of;
    int i = 0;
    TIPS_TRY(tips__new(&numbers, 4 * (size_t)count * sizeof *numbers, "the anchors"));
    const tips_status status = tips__new(&level_of, (size_t)count * sizeof *level_of, "the anchors");
    for (int l = 0; l < b->anchors.n_levels && status == TIPS_OK; l++) {
        tips_corners all[TIPS_ANCHOR_MOST];
        tips__anchor_shapes_of(&b->anchors, l, all);
        for (int k = 0; k < anchors_on(b, l); k++, i++) {
            const int cell = k / shapes, across = b->anchors.levels[l].cells[1];
            const tips_corners at =
                tips__anchor_at(&b->anchors, &zero, l, cell / across, cell % across, &all[k % shapes]);
            numbers[2 * i] = (float)((at.x1 + at.x2) / 2), numbers[2 * i + 1] = (float)((at.y1 + at.y2) / 2);
            numbers[2 * (count + i)] = (float)(at.x2 - at.x1), numbers[2 * (count + i) + 1] = (float)(at.y2 - at.y1);
            level_of[i] = l;
        }
    }
    if (status == TIPS_OK) {
        *centres = tips__emit_floats(to, numbers, dims, 2);
        *sizes = tips__emit_floats(to, numbers + 2 * (ptrdiff_t)count, dims, 2);
        *levels = tips__emit_ints(to, level_of, count);
    }
    tips__free(numbers);
    tips__free(level_of);
    return status;
}

static tips_operand emit_pair(tips_emitter *to, double right, double down) {
    return tips__emit_floats(to, (const float[]){(float)right, (float)down}, (const int64_t[]){2}, 1);
}

/* Right and down of each level, (n, levels, 2), from rows that begin with down and right. */
static tips_operand emit_origins(tips_emitter *to, const tips_onnx_boxes *b) {
    const tips_operand rows = tips__emit_reshape(to, tips__emit_value(to, b->origins),
                                                 (const int64_t[]){0, b->anchors.n_levels, TIPS_ANCHOR_COLUMNS}, 3);
    const tips_operand order = tips__emit_ints(to, (const int64_t[]){1, 0}, 2);
    return tips__emit_op(to, "Gather", TIPS_OPERANDS(rows, order), TIPS_WITH(TIPS_WITH_INT("axis", 2)));
}

/* Corners (n, anchors, 4): left, top, right, bottom, cut off at the border or, on a torus, with their centres within.
 */
static tips_operand emit_corners(tips_emitter *to, const tips_onnx_boxes *b, tips_operand codes, tips_operand centres,
                                 tips_operand sizes, tips_operand levels) {
    static const double most_growth = 1000.0 / 16;
    const tips_operand moved =
        tips__emit_op(to, "Gather", TIPS_OPERANDS(emit_origins(to, b), levels), TIPS_WITH(TIPS_WITH_INT("axis", 1)));
    const tips_operand aside = tips__emit_binary(to, "Mul", tips__emit_slice(to, codes, 2, 0, 2, 1), sizes);
    tips_operand centre = tips__emit_binary(to, "Add", tips__emit_binary(to, "Add", moved, centres), aside);
    const tips_operand growth =
        tips__emit_binary(to, "Min", tips__emit_slice(to, codes, 2, 2, 4, 1), tips__emit_float(to, log(most_growth)));
    const tips_operand half = tips__emit_binary(
        to, "Mul", tips__emit_binary(to, "Mul", tips__emit_unary(to, "Exp", growth), sizes), tips__emit_float(to, 0.5));
    const int *size = b->anchors.size;
    const tips_operand whole = emit_pair(to, size[1], size[0]);
    if (b->anchors.circular) {
        const tips_operand turns = tips__emit_unary(to, "Floor", tips__emit_binary(to, "Div", centre, whole));
        centre = tips__emit_binary(to, "Sub", centre, tips__emit_binary(to, "Mul", turns, whole));
    }
    tips_operand ends[] = {tips__emit_binary(to, "Sub", centre, half), tips__emit_binary(to, "Add", centre, half)};
    for (int i = 0; i < 2 && !b->anchors.circular; i++) {
        const tips_operand within = tips__emit_binary(to, "Max", ends[i], tips__emit_float(to, 0));
        ends[i] = tips__emit_binary(to, "Min", within, whole);
    }
    return tips__emit_concat(to, ends, 2, 2);
}

static tips_operand emit_column(tips_emitter *to, tips_operand rows, int column) {
    return tips__emit_op(to, "Gather", TIPS_OPERANDS(rows, tips__emit_int(to, column)),
                         TIPS_WITH(TIPS_WITH_INT("axis", 1)));
}

static tips_operand emit_take(tips_emitter *to, tips_operand from, tips_operand which) {
    return tips__emit_op(to, "Gather", TIPS_OPERANDS(from, which), TIPS_WITH(TIPS_WITH_INT("axis", 0)));
}

/* Numbers of chosen boxes in the order of pictures, and by falling score within each. */
static tips_operand emit_order(tips_emitter *to, tips_operand pictures, tips_operand scores) {
    const tips_operand apart =
        tips__emit_binary(to, "Mul", tips__emit_cast(to, pictures, TIPS_OPERAND_DOUBLE), tips__emit_double(to, -2));
    const tips_operand rank = tips__emit_binary(to, "Add", apart, tips__emit_cast(to, scores, TIPS_OPERAND_DOUBLE));
    const tips_operand all = tips__emit_unary(to, "Shape", rank);
    return tips__emit_op_many(to, "TopK", TIPS_OPERANDS(rank, all), NULL, 2) + 1;
}

/* Which of those in order are among the first of their picture: the place less the number of those of pictures before.
 */
static tips_operand emit_first(tips_emitter *to, tips_operand pictures, tips_operand batch, int most) {
    const tips_operand zero = tips__emit_int(to, 0), one = tips__emit_int(to, 1);
    const tips_operand count =
        tips__emit_op(to, "Gather", TIPS_OPERANDS(tips__emit_unary(to, "Shape", pictures), zero), NULL);
    const tips_operand places = tips__emit_op(to, "Range", TIPS_OPERANDS(zero, count, one), NULL);
    const tips_operand numbers = tips__emit_op(to, "Range", TIPS_OPERANDS(zero, batch, one), NULL);
    const tips_operand column = tips__emit_reshape(to, numbers, (const int64_t[]){-1, 1}, 2);
    const tips_operand before =
        tips__emit_cast(to, tips__emit_binary(to, "Less", pictures, column), TIPS_OPERAND_FLOAT);
    const tips_operand starts =
        tips__emit_cast(to,
                        tips__emit_reshape(to, tips__emit_reduce(to, "ReduceSum", before, (const int[]){1}, 1),
                                           (const int64_t[]){-1}, 1),
                        TIPS_OPERAND_INT64);
    const tips_operand within = tips__emit_binary(to, "Sub", places, emit_take(to, starts, pictures));
    const tips_operand kept = tips__emit_binary(to, "Less", within, tips__emit_int(to, most));
    return tips__emit_reshape(to, tips__emit_unary(to, "NonZero", kept), (const int64_t[]){-1}, 1);
}

static void emit_found(tips_emitter *to, const tips_onnx_boxes *b, tips_operand corners, tips_operand scores) {
    static const tips_extent rows[] = {{"M", 0}, {NULL, 4}};
    const tips_detect_config *c = tips__detect_config_of(&b->assignment);
    const tips_operand zero = tips__emit_int(to, 0);
    const tips_operand batch =
        tips__emit_op(to, "Gather", TIPS_OPERANDS(tips__emit_unary(to, "Shape", corners), zero), NULL);
    const tips_attribute turn = {.name = "perm", .type = TIPS_ATTRIBUTE_INTS, .ints = {0, 2, 1}, .n_ints = 3};
    const tips_operand by_class = tips__emit_op(to, "Transpose", TIPS_OPERANDS(scores), TIPS_WITH(turn));
    const tips_operand limits[] = {corners, by_class, tips__emit_ints(to, (const int64_t[]){c->detections}, 1),
                                   tips__emit_floats(to, &(float){(float)c->overlap}, (const int64_t[]){1}, 1),
                                   tips__emit_floats(to, &(float){(float)c->score}, (const int64_t[]){1}, 1)};
    const tips_operand chosen = tips__emit_op(to, "NonMaxSuppression", limits, 5, NULL);
    const tips_operand values = tips__emit_binary(to, "GatherND", by_class, chosen);
    const tips_operand order = emit_order(to, emit_column(to, chosen, 0), values);
    const tips_operand sorted = emit_take(to, chosen, order);
    const tips_operand first = emit_first(to, emit_column(to, sorted, 0), batch, c->detections);
    const tips_operand found = emit_take(to, sorted, first);
    const tips_operand places =
        tips__emit_op(to, "Gather", TIPS_OPERANDS(found, tips__emit_ints(to, (const int64_t[]){0, 2}, 2)),
                      TIPS_WITH(TIPS_WITH_INT("axis", 1)));
    tips__emit_output(to, "boxes", tips__emit_binary(to, "GatherND", corners, places), TIPS_OPERAND_FLOAT, rows, 2,
                      "left, top, right and bottom of each box, in pixels of the input");
    tips__emit_output(to, "labels", emit_column(to, found, 1), TIPS_OPERAND_INT64, rows, 1, "its class, from 0 on");
    tips__emit_output(to, "scores", tips__emit_binary(to, "GatherND", by_class, found), TIPS_OPERAND_FLOAT, rows, 1,
                      "its score; those of a picture fall");
    tips__emit_output(to, "pictures", emit_column(to, found, 0), TIPS_OPERAND_INT64, rows, 1,
                      "the picture of the batch that it is on");
}

static void name_heads(tips_emitter *to, const tips_onnx_boxes *b) {
    const int levels = b->anchors.n_levels;
    for (int l = 0; l < levels; l++) {
        const int *cells = b->anchors.levels[l].cells, shapes = tips__anchor_shapes(&b->anchors);
        const tips_extent logits[] = {
            {"N", 0}, {NULL, shapes * b->assignment.classes}, {NULL, cells[0]}, {NULL, cells[1]}};
        const tips_extent codes[] = {{"N", 0}, {NULL, shapes * 4}, {NULL, cells[0]}, {NULL, cells[1]}};
        tips__emit_output(to, b->names[2 * l], tips__emit_value(to, b->logits[l]), TIPS_OPERAND_FLOAT, logits, 4,
                          "a score for each shape and class, before the sigmoid");
        tips__emit_output(to, b->names[2 * l + 1], tips__emit_value(to, b->codes[l]), TIPS_OPERAND_FLOAT, codes, 4,
                          "for each shape: shifts of the centre in sizes of the anchor, logarithms of growth");
    }
    const tips_extent origins[] = {{"N", 0}, {NULL, levels}, {NULL, 2}};
    tips__emit_output(to, "origins", emit_origins(to, b), TIPS_OPERAND_FLOAT, origins, 3,
                      "for each level, how far right and down of the corner its cells begin");
}

tips_status tips__onnx_boxes_emit(tips_emitter *to, const void *context) {
    const tips_onnx_boxes *b = context;
    tips_operand scores[TIPS_ANCHOR_LEVELS], codes[TIPS_ANCHOR_LEVELS], centres, sizes, levels;
    for (int l = 0; l < b->anchors.n_levels; l++) {
        scores[l] = emit_scores(to, b, l);
        codes[l] = emit_rows(to, b, l, tips__emit_value(to, b->codes[l]), 4);
    }
    TIPS_TRY(emit_anchors(to, b, &centres, &sizes, &levels));
    const tips_operand corners =
        emit_corners(to, b, tips__emit_concat(to, codes, b->anchors.n_levels, 1), centres, sizes, levels);
    emit_found(to, b, corners, tips__emit_concat(to, scores, b->anchors.n_levels, 1));
    name_heads(to, b);
    return TIPS_OK;
}
