/* Detections from a file are sorted by picture, matched with what is there, and summed up. */
#include "evaluate/detections_parts.h"

#include "core/fail.h"
#include "core/keep_input.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timing.h"
#include "metric/coco_results.h"
#include "metric/find_match.h"
#include "task/detect_score.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct found {
    tips_detection box;
    int picture; /* in the truth */
} found;

typedef struct gathered {
    const char *path;
    const truth *truth;
    found *list; /* (count) */
    size_t count, room;
    int64_t others;
} gathered;

static tips_status take(void *context, const tips_coco_result *r, size_t number) {
    gathered *g = context;
    const truth_picture *picture = tips__truth_picture(g->truth, r->picture);
    const int label = tips__truth_label(g->truth, r->category);
    if (!picture)
        TIPS_FAIL(TIPS_FORMAT, "%s: result %zu is of a picture with the id %lld, which the data do not have", g->path,
                  number, (long long)r->picture);
    if (label < 0) {
        g->others++;
        return TIPS_OK;
    }
    if (g->count == g->room) {
        const size_t room = g->room ? 2 * g->room : 1024;
        found *list = tips__grow(g->list, g->count * sizeof *list, room * sizeof *list);
        if (!list) TIPS_FAIL(TIPS_MEMORY, "out of memory for %zu detections", room);
        g->list = list;
        g->room = room;
    }
    const tips_detection box = {r->bbox[0], r->bbox[1], r->bbox[2], r->bbox[3], r->score, label};
    g->list[g->count++] = (found){box, (int)(picture - g->truth->pictures)};
    return TIPS_OK;
}

/* Those of each picture one behind the other, as given; `ends` (pictures). */
static void sort_by_picture(const gathered *g, size_t *ends, tips_detection *sorted) {
    size_t sum = 0;
    for (size_t i = 0; i < g->count; i++) ends[g->list[i].picture]++;
    for (int i = 0; i < g->truth->n_pictures; i++) {
        const size_t count = ends[i];
        ends[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < g->count; i++) sorted[ends[g->list[i].picture]++] = g->list[i].box;
}

static tips_status match(const truth *t, const size_t *ends, const tips_detection *sorted, tips_bytes *scores) {
    for (int i = 0; i < t->n_pictures; i++) {
        const size_t first = i ? ends[i - 1] : 0;
        if (ends[i] - first > INT_MAX) TIPS_FAIL(TIPS_RANGE, "%zu detections on one picture", ends[i] - first);
        TIPS_TRY(tips__match_finds(sorted + first, (int)(ends[i] - first), t->objects + t->pictures[i].first,
                                   t->pictures[i].count, 0, &scores[i]));
    }
    return TIPS_OK;
}

static tips_status match_all(const gathered *g, tips_bytes *scores) {
    tips_detection *sorted;
    size_t *ends;
    TIPS_TRY(tips__new(&sorted, g->count * sizeof *sorted, "the detections"));
    tips_status status = tips__new_zero(&ends, (size_t)g->truth->n_pictures * sizeof *ends, "counts of detections");
    if (status == TIPS_OK) {
        sort_by_picture(g, ends, sorted);
        status = match(g->truth, ends, sorted, scores);
        tips__free(ends);
    }
    tips__free(sorted);
    return status;
}

static tips_status sum_up(const truth *t, const tips_bytes *scores, tips_detections_result *out) {
    TIPS_TRY(tips__detect_figures(NULL, scores, t->n_pictures, out->figures.own));
    TIPS_TRY(tips__new_zero(&out->classes, (size_t)t->n_classes * sizeof *out->classes, "the classes' results"));
    out->n_classes = t->n_classes;
    for (int i = 0; i < t->n_classes; i++) {
        snprintf(out->classes[i].name, sizeof out->classes[i].name, "%s", t->names[i]);
        TIPS_TRY(tips__detect_class_figure(NULL, scores, t->n_pictures, i, &out->classes[i].figure));
    }
    return TIPS_OK;
}

static tips_status measure(const gathered *g, tips_detections_result *out) {
    const int n = g->truth->n_pictures;
    tips_bytes *scores;
    TIPS_TRY(tips__new_zero(&scores, (size_t)n * sizeof *scores, "the pictures' scores"));
    tips_status status = match_all(g, scores);
    if (status == TIPS_OK) status = sum_up(g->truth, scores, out);
    for (int i = 0; i < n; i++) tips__bytes_clear(&scores[i]);
    tips__free(scores);
    return status;
}

static tips_status describe(const tips_evaluate_config *config, const char *file, const gathered *g,
                            tips_detections_result *out) {
    const truth *t = g->truth;
    out->figures = tips__figures_none(tips__detect_metrics);
    out->format = t->format, out->split = t->split;
    out->images = t->n_pictures;
    out->objects = (int)t->n_objects;
    out->detections = (int64_t)g->count;
    out->other_categories = g->others;
    out->zero_ids = t->zero_ids;
    out->file = tips__strdup(file);
    out->data = tips__strdup(config->data);
    if (!out->file || !out->data) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    return TIPS_OK;
}

static tips_status run(const tips_evaluate_config *config, const char *file, const truth *t,
                       tips_detections_result *out) {
    gathered g = {.path = file, .truth = t};
    tips_status status = tips__coco_results_read(file, take, &g);
    if (status == TIPS_OK) status = describe(config, file, &g, out);
    if (status == TIPS_OK) status = measure(&g, out);
    tips__free(g.list);
    return status;
}

tips_status tips__evaluate_detections(const tips_evaluate_config *config, const char *file,
                                      tips_detections_result *out) {
    const double start = tips__now();
    tips_detections_result result = {0};
    truth t;
    tips__threads_use(config->network.threads);
    tips_status status = tips__truth_read(config, &t);
    if (status == TIPS_OK) status = run(config, file, &t, &result);
    tips__truth_clear(&t);
    result.seconds = tips__now() - start;
    if (status == TIPS_OK) *out = result;
    else tips__detections_free(&result);
    return status;
}

tips_status tips__detections_keep_inputs(const tips_evaluate_config *config, const char *file, const char *output) {
    TIPS_TRY(tips__keep_input(config->data, output));
    return tips__keep_input(file, output);
}

void tips__detections_free(tips_detections_result *r) {
    tips__free(r->file);
    tips__free(r->data);
    tips__free(r->classes);
    *r = (tips_detections_result){0};
}

bool tips__detections_remark(const tips_detections_result *r, int i, char *out, size_t size) {
    if (r->other_categories > 0 && i-- == 0) {
        snprintf(out, size, "%lld detections are of categories that the data do not have, and were left out.",
                 (long long)r->other_categories);
        return true;
    }
    if (r->zero_ids > 0 && i-- == 0) {
        snprintf(out, size,
                 "%d annotation%s the id 0, which pycocotools takes for 'not found': its figures are lower than these.",
                 r->zero_ids, r->zero_ids == 1 ? " has" : "s have");
        return true;
    }
    return false;
}
