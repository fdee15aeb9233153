/* From the outputs of a detector to boxes. */
#include "core/fail.h"
#include "core/memory.h"
#include "task/detect_regions.h"
#include "task/foreign_boxes.h"

#include <math.h>
#include <string.h>

/* Outputs: logits of each level, codes of each level, origins. */
typedef struct heads {
    tips_anchors anchors;
    tips_origins origins;
    const float *logits[TIPS_ANCHOR_LEVELS], *codes[TIPS_ANCHOR_LEVELS];
} heads;

static tips_status read_heads(const tips_assignment *a, const tips_outputs *outputs, int i, heads *out) {
    const int levels = (outputs->count - 1) / 2, last = 2 * levels;
    const float *rows = outputs->values[last] + (size_t)i * outputs->floats[last];
    bool fits = levels >= 1 && outputs->count == last + 1 &&
                outputs->floats[last] == (size_t)levels * TIPS_ANCHOR_COLUMNS &&
                tips__anchors_read(rows, levels, &out->anchors, &out->origins);
    for (int l = 0; l < levels && fits; l++) {
        const size_t anchors =
            (size_t)tips__anchor_cells(&out->anchors.levels[l]) * (size_t)tips__anchor_shapes(&out->anchors);
        fits = outputs->floats[l] == anchors * (size_t)a->classes && outputs->floats[levels + l] == anchors * 4;
        out->logits[l] = outputs->values[l] + (size_t)i * outputs->floats[l];
        out->codes[l] = outputs->values[levels + l] + (size_t)i * outputs->floats[levels + l];
    }
    if (!fits) TIPS_FAIL(TIPS_SHAPE, "the network's outputs are not those of a detector of %d classes", a->classes);
    return TIPS_OK;
}

tips_status tips__detect_candidate_add(tips_bytes *list, int *count, tips_candidate candidate) {
    const size_t bytes = ((size_t)*count + 1) * sizeof candidate;
    if (bytes > list->capacity) TIPS_TRY(tips__bytes_resize(list, 2 * bytes));
    tips__detect_candidates(list)[(*count)++] = candidate;
    return TIPS_OK;
}

/* Classes of anchors whose score is high enough; `place` counts in the order of rows, columns, shapes and classes. */
static tips_status list_level(const tips_assignment *a, const heads *h, int level, tips_bytes *list, int *count) {
    const double least = tips__detect_config_of(a)->score;
    const double limit = least > 0 ? log(least / (1 - least)) : -INFINITY;
    const int cells = tips__anchor_cells(&h->anchors.levels[level]), shapes = tips__anchor_shapes(&h->anchors);
    for (int s = 0; s < shapes; s++)
        for (int k = 0; k < a->classes; k++) {
            const float *logits = h->logits[level] + ((size_t)s * (size_t)a->classes + (size_t)k) * (size_t)cells;
            for (int cell = 0; cell < cells; cell++)
                if (logits[cell] > limit)
                    TIPS_TRY(
                        tips__detect_candidate_add(list, count,
                                                   (tips_candidate){.score = 1 / (1 + exp(-(double)logits[cell])),
                                                                    .label = k,
                                                                    .place = (cell * shapes + s) * a->classes + k}));
        }
    return TIPS_OK;
}

static tips_corners place_box(const tips_assignment *a, const heads *h, int level, int place) {
    const tips_anchor_level *on = &h->anchors.levels[level];
    const int shapes = tips__anchor_shapes(&h->anchors), anchor = place / a->classes, s = anchor % shapes;
    const int cell = anchor / shapes, cells = tips__anchor_cells(on);
    tips_corners all[TIPS_ANCHOR_MOST];
    double code[4];
    tips__anchor_shapes_of(&h->anchors, level, all);
    const tips_corners from =
        tips__anchor_at(&h->anchors, &h->origins, level, cell / on->cells[1], cell % on->cells[1], &all[s]);
    for (int k = 0; k < 4; k++) code[k] = h->codes[level][((size_t)s * 4 + (size_t)k) * (size_t)cells + (size_t)cell];
    const tips_corners box = tips__box_decode(&from, code, (tips_box_weights){1, 1});
    return h->anchors.circular ? tips__corners_wrapped(&box, h->anchors.size)
                               : tips__corners_clipped(&box, h->anchors.size);
}

/* The best of a level go to the end of `best`. */
static tips_status take_level(const tips_assignment *a, const heads *h, int level, tips_bytes *room, tips_bytes *best,
                              int *count) {
    const int most = tips__detect_config_of(a)->candidates;
    int listed = 0;
    TIPS_TRY(list_level(a, h, level, room, &listed));
    tips__candidates_sort(tips__detect_candidates(room), listed);
    for (int i = 0; i < listed && i < most; i++) {
        tips_candidate one = tips__detect_candidates(room)[i];
        one.box = place_box(a, h, level, one.place);
        one.place = *count; /* from level to level */
        TIPS_TRY(tips__detect_candidate_add(best, count, one));
    }
    return TIPS_OK;
}

static tips_status put_answer(const tips_candidate *found, int count, tips_bytes *out) {
    TIPS_TRY(tips__bytes_resize(out, (size_t)count * sizeof(tips_detection)));
    tips_detection *to = (tips_detection *)(void *)out->data;
    if (count > 0) memset(to, 0, out->count);
    for (int i = 0; i < count; i++) {
        const tips_corners *box = &found[i].box;
        to[i].x = box->x1, to[i].y = box->y1;
        to[i].w = box->x2 - box->x1, to[i].h = box->y2 - box->y1;
        to[i].score = found[i].score;
        to[i].label = found[i].label;
    }
    return TIPS_OK;
}

tips_status tips__detect_finish(const tips_assignment *a, const tips_bytes *list, int count, tips_torus torus, int most,
                                tips_bytes *out) {
    tips_candidate *found = tips__detect_candidates(list);
    tips__candidates_sort(found, count);
    return put_answer(
        found, tips__candidates_suppress(found, count, tips__detect_config_of(a)->overlap, true, torus, most), out);
}

static tips_status answer(const tips_assignment *a, const heads *h, tips_bytes *room, tips_bytes *best,
                          tips_bytes *out) {
    const tips_detect_config *c = tips__detect_config_of(a);
    int count = 0;
    for (int l = 0; l < h->anchors.n_levels; l++) TIPS_TRY(take_level(a, h, l, room, best, &count));
    return tips__detect_finish(a, best, count, tips__anchor_torus(&h->anchors), c->detections ? c->detections : 300,
                               out);
}

tips_status tips__detect_answer(const tips_assignment *a, const tips_outputs *outputs, int i, tips_bytes *out) {
    heads h;
    tips_bytes room = {0}, best = {0};
    if (tips__foreign_finds(a)) return tips__foreign_answer(a, outputs, i, out);
    if (tips__outputs_are_regions(outputs)) return tips__regions_answer(a, outputs, i, out);
    TIPS_TRY(read_heads(a, outputs, i, &h));
    const tips_status status = answer(a, &h, &room, &best, out);
    tips__bytes_clear(&room);
    tips__bytes_clear(&best);
    return status;
}
