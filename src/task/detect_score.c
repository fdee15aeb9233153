/* From answers to scores, and from scores to figures: what a picture counts for alone, and under a shift. */
#include "task/detect_score.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/average_precision.h"
#include "metric/box_jitter.h"
#include "metric/box_shift.h"
#include "metric/moved_objects.h"
#include "metric/shift_precision.h"

#include <string.h>

_Static_assert(TIPS_DETECT_AP + TIPS_AP_FIGURES == TIPS_DETECT_STANDARD_DAP, "one row for each figure, in their order");
_Static_assert(sizeof(tips_jitter) % 8 == 0, "finds begin behind it");

const tips_option tips__detect_measure_rows[] = {
    {.name = "shown",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_detect_measure, shown),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "least score of a box that counts as shown where boxes of two views are compared; average precision takes "
             "all"},
    {.name = "same",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_detect_measure, same),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "least IoU of two boxes that count as the same one"},
    {.type = TIPS_OPT_END},
};

tips_jitter_rule tips__detect_rule(const tips_assignment *a) {
    const tips_detect_measure *m = tips__task_config(a);
    return (tips_jitter_rule){{a->size[0], a->size[1]}, m->shown, m->same, false};
}

tips_boxes_at tips__detect_boxes(tips_answer_at x) {
    return (tips_boxes_at){
        tips__detections(x.answer), tips__detections_in(x.answer), {x.shift[0], x.shift[1]}, x.circular};
}

tips_agreement tips__detect_agree(const tips_assignment *a, tips_answer_at x, tips_answer_at y,
                                  const tips_bytes *target) {
    static const tips_object none; /* a list of no objects is not the same as no list */
    const tips_jitter_rule rule = tips__detect_rule(a);
    const int n = target ? tips__objects_in(target) : 0;
    return tips__boxes_agree(&rule, tips__detect_boxes(x), tips__detect_boxes(y),
                             n        ? tips__objects(target)
                             : target ? &none
                                      : NULL,
                             n);
}

tips_status tips__detect_target(const tips_move *move, double least, const tips_box *boxes, int n, tips_bytes *target) {
    tips_detect_truth truth = {.move = *move};
    TIPS_TRY(tips__bytes_resize(target, sizeof truth + 2 * (size_t)n * sizeof(tips_object)));
    tips_object *objects = (tips_object *)(void *)(target->data + sizeof truth);
    if (n > 0) {
        memset(objects, 0, 2 * (size_t)n * sizeof *objects);
        truth.on_input = tips__objects_on_input(move, least, boxes, n, objects);
        truth.on_picture = tips__objects_on_picture(boxes, n, objects + truth.on_input);
    }
    memcpy(target->data, &truth, sizeof truth);
    const size_t count = (size_t)truth.on_input + (size_t)truth.on_picture;
    return tips__bytes_resize(target, sizeof truth + count * sizeof *objects);
}

/* Truth and answer on the picture. */
static tips_status match_on_picture(const tips_assignment *a, tips_answer_at x, const tips_bytes *target, size_t at,
                                    tips_bytes *score) {
    const tips_detect_truth *truth = tips__detect_truth_in(target);
    const tips_box_view view = {&truth->move, {x.shift[0], x.shift[1]}, {a->size[0], a->size[1]}, x.circular};
    const int n = tips__detections_in(x.answer), there = truth->on_picture;
    tips_detection *found;
    TIPS_TRY(tips__new(&found, (size_t)n * sizeof *found + (size_t)there * sizeof(tips_object), "boxes put back"));
    tips_object *objects = (tips_object *)(void *)(found + n);
    tips__objects_in_view(&view, tips__objects_annotated(target), there, objects);
    const int kept = tips__detections_in_view(&view, tips__detections(x.answer), n, found);
    const tips_status status = tips__match_finds(found, kept, objects, there, at, score);
    tips__free(found);
    return status;
}

tips_status tips__detect_score(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *target,
                               tips_bytes *score) {
    tips_bytes answer = {0};
    tips_status status = a->spec.task->answer(a, outputs, i, &answer);
    if (status == TIPS_OK) status = match_on_picture(a, (tips_answer_at){.answer = &answer}, target, 0, score);
    tips__bytes_clear(&answer);
    return status;
}

static tips_status new_finds(size_t n, tips_picture_finds **out) {
    return tips__new(out, n * sizeof **out, "the pictures' detections");
}

static tips_status figures_of(const tips_picture_finds *finds, int n, tips_figure *figures) {
    tips_ap_index *index;
    TIPS_TRY(tips__ap_index_create(finds, n, &index));
    const tips_status status = tips__ap_intervals(index, figures);
    tips__ap_index_destroy(index);
    return status;
}

tips_status tips__detect_figures(const tips_assignment *a, const tips_bytes *scores, int n, tips_figure *figures) {
    tips_picture_finds *finds;
    (void)a;
    for (int i = TIPS_AP_FIGURES; i < TIPS_DETECT_METRICS; i++) figures[i] = tips__figure_none();
    TIPS_TRY(new_finds((size_t)n, &finds));
    for (int i = 0; i < n; i++) finds[i] = tips__finds_in(&scores[i], 0);
    const tips_status status = figures_of(finds, n, figures);
    tips__free(finds);
    return status;
}

/* What a picture has of one class: a run of each list. */
static tips_picture_finds of_class(tips_picture_finds f, int32_t label) {
    int n = 0, n_classes = 0;
    for (; f.n_finds > 0 && f.finds->label < label; f.finds++) f.n_finds--;
    for (; f.n_classes > 0 && f.classes->label < label; f.classes++) f.n_classes--;
    while (n < f.n_finds && f.finds[n].label == label) n++;
    while (n_classes < f.n_classes && f.classes[n_classes].label == label) n_classes++;
    f.n_finds = n, f.n_classes = n_classes;
    return f;
}

static tips_status class_of(const tips_picture_finds *finds, int n, int label, tips_figure *figure) {
    tips_ap_index *index;
    TIPS_TRY(tips__ap_index_create(finds, n, &index));
    const tips_status status = tips__ap_class_interval(index, label, figure);
    tips__ap_index_destroy(index);
    return status;
}

tips_status tips__detect_class_figure(const tips_assignment *a, const tips_bytes *scores, int n, int class_index,
                                      tips_figure *figure) {
    tips_picture_finds *finds;
    (void)a;
    TIPS_TRY(new_finds((size_t)n, &finds));
    for (int i = 0; i < n; i++) finds[i] = of_class(tips__finds_in(&scores[i], 0), class_index);
    const tips_status status = class_of(finds, n, class_index, figure);
    tips__free(finds);
    return status;
}

tips_jitter tips__detect_jitter(const tips_assignment *a, tips_answer_at still, tips_answer_at moved) {
    const tips_jitter_rule rule = tips__detect_rule(a);
    return tips__box_jitter(&rule, tips__detect_boxes(still), tips__detect_boxes(moved));
}

tips_status tips__detect_shift_score(const tips_assignment *a, tips_answer_at still, tips_answer_at moved,
                                     const tips_bytes *target, tips_bytes *score) {
    const tips_jitter jitter = tips__detect_jitter(a, still, moved);
    TIPS_TRY(tips__bytes_resize(score, sizeof jitter));
    memcpy(score->data, &jitter, sizeof jitter);
    return match_on_picture(a, moved, target, sizeof jitter, score);
}

static tips_bytes score_at(const tips_shift_scores *s, int image, int column) {
    return tips__pile_at(s->scores, image * s->stride + s->columns[column]);
}

/* What shifts did to a picture's boxes, all of them together; the first is no shift. */
static tips_jitter jitter_of(const tips_shift_scores *s, int image) {
    tips_jitter sum = {0};
    for (int k = 1; k < s->count; k++) {
        const tips_bytes score = score_at(s, image, k);
        tips__jitter_add(&sum, (const tips_jitter *)(const void *)score.data);
    }
    return sum;
}

enum { JITTERS = TIPS_DETECT_STANDARD_VANISHING - TIPS_DETECT_STANDARD_BOX_JITTER + 1 };

static void jitter_figures(const void *context, const int *drawn, int images, double *values) {
    const tips_jitter *pictures = context;
    tips_jitter sum = {0};
    for (int i = 0; i < images; i++) tips__jitter_add(&sum, &pictures[drawn[i]]);
    const double all[JITTERS] = {tips__jitter_edges(&sum), tips__jitter_centres(&sum), 100 * tips__jitter_apart(&sum),
                                 100 * tips__jitter_scores(&sum), 100 * tips__jitter_vanishing(&sum)};
    memcpy(values, all, sizeof all);
}

static tips_status jitter_with_intervals(const tips_shift_scores *s, tips_figure *figures) {
    static const tips_scale scales[JITTERS] = {TIPS_SCALE_AMOUNT, TIPS_SCALE_AMOUNT, TIPS_SCALE_SHARE, TIPS_SCALE_SHARE,
                                               TIPS_SCALE_SHARE};
    tips_jitter *pictures;
    TIPS_TRY(tips__new(&pictures, (size_t)s->images * sizeof *pictures, "the pictures' jitter"));
    for (int i = 0; i < s->images; i++) pictures[i] = jitter_of(s, i);
    const tips_status status = tips__jackknife_several(jitter_figures, pictures, scales, JITTERS, s->images, figures);
    tips__free(pictures);
    return status;
}

static tips_status precision_under(const tips_shift_scores *s, tips_shift_precision *out) {
    tips_picture_finds *finds;
    TIPS_TRY(new_finds((size_t)s->images * (size_t)s->count, &finds));
    for (int i = 0; i < s->images; i++)
        for (int k = 0; k < s->count; k++) {
            const tips_bytes score = score_at(s, i, k);
            finds[(ptrdiff_t)i * s->count + k] = tips__finds_in(&score, sizeof(tips_jitter));
        }
    const tips_status status = tips__shift_precision(finds, s->images, s->count, out);
    tips__free(finds);
    return status;
}

tips_status tips__detect_shift_figures(const tips_assignment *a, const tips_shift_scores *s, tips_figure *figures) {
    tips_figure *own = figures + (s->kind == TIPS_CIRCULAR ? TIPS_DETECT_CIRCULAR_DAP : TIPS_DETECT_STANDARD_DAP);
    tips_shift_precision p;
    (void)a;
    TIPS_TRY(precision_under(s, &p));
    const tips_figure precision[] = {p.dap, p.dap50, p.bound, p.mean, p.best, p.worst};
    memcpy(own, precision, sizeof precision);
    return jitter_with_intervals(s, own + TIPS_DETECT_STANDARD_BOX_JITTER - TIPS_DETECT_STANDARD_DAP);
}
