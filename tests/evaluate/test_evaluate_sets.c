/* Figures of a set under common shifts, against a recount by hand: one picture, one shift at a time. The detector is
 * made up: its boxes stand on a grid, and the logits of a small network are their scores. */
#include "support/compare.h"

#include "core/fail.h"
#include "core/json.h"
#include "evaluate/evaluate.h"
#include "evaluate/evaluate_json.h"
#include "metric/average_precision.h"
#include "metric/box_jitter.h"
#include "model/open_model.h"
#include "task/detect_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 16, IMAGES = 5, REACH = 3, SHIFTS = REACH * REACH, BOXES = 3 * 3 };

/* Boxes at nine places, of two sizes, and of every class. */
static tips_status answer(const tips_assignment *a, const tips_outputs *outputs, int i, tips_bytes *out) {
    const float *logits = outputs->values[0] + (size_t)i * outputs->floats[0];
    TIPS_TRY(tips__bytes_resize(out, (size_t)a->classes * BOXES * sizeof(tips_detection)));
    tips_detection *d = (tips_detection *)(void *)out->data;
    for (int c = 0; c < a->classes; c++)
        for (int k = 0; k < BOXES; k++, d++) {
            const double length = k % 2 ? 6 : 8, wave = sin(7.0 * k + 20 * logits[(c + k) % a->classes]);
            *d = (tips_detection){k % 3 * 4 + wave, k / 3 * 4, length, length, 0.5 + 0.5 * wave, c};
        }
    return TIPS_OK;
}

static tips_status target(const tips_assignment *a, const tips_annotation *annotation, const tips_move *move,
                          tips_bytes *out) {
    (void)a;
    return tips__detect_target(move, 0, annotation->boxes, annotation->n_boxes, out);
}

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .offset = 0, .group = tips__detect_measure_rows},
    {.type = TIPS_OPT_END},
};

static const tips_task fake = {.name = "fake",
                               .flags = TIPS_TASK_GRADED,
                               .options = options,
                               .config_size = sizeof(tips_detect_measure),
                               .needs = TIPS_ANNOTATES_BOXES,
                               .target = target,
                               .answer = answer,
                               .agree = tips__detect_agree,
                               .metrics = tips__detect_metrics,
                               .score = tips__detect_score,
                               .figures = tips__detect_figures,
                               .class_metric = "ap",
                               .class_figure = tips__detect_class_figure,
                               .shift_score = tips__detect_shift_score,
                               .shift_figures = tips__detect_shift_figures};

static const tips_detect_measure measure = {.shown = 0.8, .same = 0.5};

typedef struct setup {
    tips_evaluate_config config;
    tips_dataset *set;
    tips_loaded_model model;
    tips_net *net;
} setup;

static setup open_all(int frame, bool levels) {
    setup s = {.config = {.network = {.arch = "tiny",
                                      .pool = "max",
                                      .padding = TIPS_PAD_CIRCULAR,
                                      .size = {SIZE, SIZE},
                                      .seed = 3,
                                      .threads = 1},
                          .data = "shapes:objects=3",
                          .split = TIPS_SPLIT_TEST,
                          .limit = IMAGES,
                          .set_shifts = REACH,
                          .set_frame = frame,
                          .levels = levels,
                          .batch = 4}};
    const tips_net_options net = {.n = 1, .algorithm = TIPS_ALGORITHM_EXACT};
    expect_ok(tips__evaluate_open_data(&s.config, &s.set));
    tips_model_options network = s.config.network;
    network.classes = tips__dataset_classes(s.set);
    network.channels = tips__dataset_channels(s.set);
    expect_ok(tips__open_model(NULL, &network, &s.config.input, &s.model));
    expect_ok(tips__net_compile(s.model.model.graph, s.model.params, &net, &s.net));
    s.model.info.task.task = s.model.model.assignment.spec.task = &fake;
    memcpy(&s.model.info.task.config, &measure, sizeof measure);
    memcpy(&s.model.model.assignment.spec.config, &measure, sizeof measure);
    return s;
}

static void close_all(setup *s) {
    tips__net_destroy(s->net);
    tips__loaded_model_destroy(&s->model);
    tips__dataset_close(s->set);
}

/* One picture as the recount sees it. */
typedef struct seen {
    tips_bytes target, answers[SHIFTS];
} seen;

static seen look(const setup *s, int number, int kind, int frame) {
    const int index = (int)((int64_t)number * tips__dataset_count(s->set, TIPS_SPLIT_TEST) / IMAGES);
    static float input[3 * SIZE * SIZE];
    static uint8_t small[3 * SIZE * SIZE], canvas[3 * SIZE * SIZE];
    tips_preprocess p = s->model.preprocess;
    const tips_preprocess whole = p;
    const bool is_smaller = frame == TIPS_FRAME_CANVAS && kind == TIPS_STANDARD;
    tips_annotation annotation;
    tips_image picture;
    seen out;
    float logits[64];
    memset(&out, 0, sizeof out);
    if (is_smaller) p.height -= REACH - 1, p.width -= REACH - 1;
    expect_ok(tips__dataset_read_annotated(s->set, TIPS_SPLIT_TEST, index, fake.needs, &picture, &annotation));
    const tips_move move = tips__preprocess_move(&p, annotation.size);
    expect_ok(target(&s->model.model.assignment, &annotation, &move, &out.target));
    expect_ok(tips__preprocess_canvas(&p, &picture, small));
    memset(canvas, 0, sizeof canvas);
    for (int y = 0; y < p.height; y++)
        memcpy(canvas + y * SIZE * p.channels, small + y * p.width * p.channels, (size_t)(p.width * p.channels));
    for (int u = 0; u < SHIFTS; u++) {
        const tips_outputs outputs = {
            .n = 1, .count = 1, .values = {logits}, .floats = {(size_t)s->model.info.config.classes}};
        tips__canvas_to_input(&whole, canvas, u / REACH, u % REACH, kind == TIPS_CIRCULAR, input);
        expect_ok(tips__net_set_map(s->net, s->model.model.ends.input, input));
        expect_ok(tips__net_forward(s->net));
        expect_ok(tips__net_get_map(s->net, s->model.model.ends.outputs[0], logits));
        expect_ok(answer(&s->model.model.assignment, &outputs, 0, &out.answers[u]));
    }
    tips__annotation_clear(&annotation);
    tips__image_free(&picture);
    return out;
}

/* What is left of a span of the picture between two places of it. */
static void keep(double *start, double *length, double low, double high) {
    const double end = fmax(fmin(*start + *length, high), low);
    *start = fmin(fmax(*start, low), high);
    *length = end - *start;
}

/* Along one axis, in pixels of the picture, which is not cropped: where a detection is, and where the canvas ends. */
static double bring_back(const tips_move *m, int axis, int shift, int kind, double *start, double *length) {
    const double scale = (double)m->resized[axis] / m->picture[axis], end = (SIZE - shift - m->offset[axis]) / scale;
    const bool is_wrapped = kind == TIPS_CIRCULAR && *start - shift + *length / 2 < 0;
    *start = (*start - shift + (is_wrapped ? SIZE : 0) - m->offset[axis]) / scale;
    *length /= scale;
    return kind == TIPS_CIRCULAR || shift == 0 ? m->picture[axis] : fmin(m->picture[axis], end);
}

/* Truth as a standard shift leaves it, and detections where they are on the picture. Returns how many those are. */
static int bring_together(const tips_move *move, tips_object *there, int n, tips_detection *found, int m, int dy,
                          int dx, int kind) {
    double none[2] = {0, 0};
    const double bottom = bring_back(move, 0, dy, kind, &none[0], &none[1]);
    const double right = bring_back(move, 1, dx, kind, &none[0], &none[1]);
    int kept = 0;
    for (int i = 0; i < n && kind == TIPS_STANDARD; i++) {
        const double before = there[i].w * there[i].h;
        keep(&there[i].x, &there[i].w, -1e9, right);
        keep(&there[i].y, &there[i].h, -1e9, bottom);
        there[i].ignore = there[i].w * there[i].h < before / 2;
        there[i].area *= there[i].w * there[i].h / before;
    }
    for (int i = 0; i < m; i++) {
        tips_detection d = found[i];
        bring_back(move, 0, dy, kind, &d.y, &d.h);
        bring_back(move, 1, dx, kind, &d.x, &d.w);
        keep(&d.x, &d.w, 0, right);
        keep(&d.y, &d.h, 0, bottom);
        if (d.w > 0 && d.h > 0) found[kept++] = d;
    }
    return kept;
}

typedef struct recount {
    double ap[SHIFTS], ap50[SHIFTS];
    tips_jitter jitter[SHIFTS];
} recount;

static recount count_again(const setup *s, int kind, int frame) {
    recount r;
    memset(&r, 0, sizeof r);
    seen pictures[IMAGES];
    for (int i = 0; i < IMAGES; i++) pictures[i] = look(s, i, kind, frame);
    for (int u = 0; u < SHIFTS; u++) {
        tips_bytes scores[IMAGES];
        tips_picture_finds finds[IMAGES];
        tips_ap_index *index;
        memset(scores, 0, sizeof scores);
        for (int i = 0; i < IMAGES; i++) {
            const int n = tips__objects_in(&pictures[i].target), m = tips__detections_in(&pictures[i].answers[u]);
            const tips_jitter_rule rule = {{SIZE, SIZE}, measure.shown, measure.same, false};
            const tips_boxes_at still = {tips__detections(&pictures[i].answers[0]), m, {0, 0}, kind == TIPS_CIRCULAR};
            const tips_boxes_at moved = {
                tips__detections(&pictures[i].answers[u]), m, {u / REACH, u % REACH}, kind == TIPS_CIRCULAR};
            const tips_jitter one = tips__box_jitter(&rule, still, moved);
            tips_object there[64];
            tips_detection found[1024];
            memcpy(there, tips__objects_annotated(&pictures[i].target), (size_t)n * sizeof *there);
            memcpy(found, pictures[i].answers[u].data, pictures[i].answers[u].count);
            const tips_move move = tips__detect_truth_in(&pictures[i].target)->move;
            const int kept = bring_together(&move, there, n, found, m, u / REACH, u % REACH, kind);
            expect_ok(tips__match_finds(found, kept, there, n, 0, &scores[i]));
            finds[i] = tips__finds_in(&scores[i], 0);
            tips__jitter_add(&r.jitter[u], &one);
        }
        expect_ok(tips__ap_index_create(finds, IMAGES, &index));
        tips__ap_pair(index, NULL, 0, &r.ap[u], &r.ap50[u]);
        tips__ap_index_destroy(index);
        for (int i = 0; i < IMAGES; i++) tips__bytes_clear(&scores[i]);
    }
    for (int i = 0; i < IMAGES; i++) {
        tips__bytes_clear(&pictures[i].target);
        for (int u = 0; u < SHIFTS; u++) tips__bytes_clear(&pictures[i].answers[u]);
    }
    return r;
}

static double span(const double *values) {
    double low = values[0], high = values[0];
    for (int u = 1; u < SHIFTS; u++) low = fmin(low, values[u]), high = fmax(high, values[u]);
    return 100 * (high - low);
}

static tips_jitter sum_of(const recount *r, int size) {
    tips_jitter sum = {0};
    for (int u = 1; u < SHIFTS; u++)
        if (size == 0 || (u / REACH > u % REACH ? u / REACH : u % REACH) == size) tips__jitter_add(&sum, &r->jitter[u]);
    return sum;
}

static void expect_near(const char *what, double got, double want) {
    if (!(fabs(got - want) <= 1e-9)) fail_msg("%s: %.12g, not %.12g", what, got, want);
}

static void compare(const tips_figure *own, int kind, const recount *r, int size) {
    const tips_figure *f = own + (kind == TIPS_CIRCULAR ? TIPS_DETECT_CIRCULAR_DAP : TIPS_DETECT_STANDARD_DAP);
    const tips_jitter j = sum_of(r, size);
    assert_true(j.pairs > 0 && j.lone > 0);
    if (size == 0) {
        expect_near("dap", f[0].value, span(r->ap));
        expect_near("dap50", f[1].value, span(r->ap50));
        assert_true(f[0].value > 0 && f[2].value >= f[0].value);
        assert_true(f[5].value <= f[3].value && f[3].value <= f[4].value);
    }
    const tips_figure *jitter = f + (TIPS_DETECT_STANDARD_BOX_JITTER - TIPS_DETECT_STANDARD_DAP);
    expect_near("box", jitter[0].value, tips__jitter_edges(&j));
    expect_near("centre", jitter[1].value, tips__jitter_centres(&j));
    expect_near("iou", jitter[2].value, 100 * tips__jitter_apart(&j));
    expect_near("score", jitter[3].value, 100 * tips__jitter_scores(&j));
    expect_near("vanishing", jitter[4].value, 100 * tips__jitter_vanishing(&j));
    for (int k = 0; k < 5; k++) assert_true(jitter[k].low <= jitter[k].value && jitter[k].value <= jitter[k].high);
}

static void against_recount(void **state) {
    (void)state;
    for (int frame = TIPS_FRAME_BLACK; frame <= TIPS_FRAME_CANVAS; frame++) {
        setup s = open_all(frame, frame == TIPS_FRAME_BLACK);
        tips_evaluate_result result;
        expect_ok(tips__evaluate_open(&s.config, s.set, &s.model, &result));
        const tips_model_result *m = &result.models[0];
        assert_int_equal(m->images, IMAGES);
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
            const recount r = count_again(&s, kind, frame);
            compare(m->figures.own, kind, &r, 0);
            assert_int_equal(m->shift[kind].n_set_levels, frame == TIPS_FRAME_BLACK ? REACH - 1 : 0);
            for (int d = 1; d < REACH && frame == TIPS_FRAME_BLACK; d++)
                compare(m->shift[kind].set_levels[d - 1].own, kind, &r, d);
            if (kind == TIPS_STANDARD && frame == TIPS_FRAME_BLACK) /* the first is the picture as it is */
                expect_near("ap", m->figures.own[TIPS_DETECT_AP].value, 100 * r.ap[0]);
        }
        assert_true(m->figures.own[TIPS_DETECT_AP].value > 0);
        tips__evaluate_free(&result);
        close_all(&s);
    }
}

/* Batches and threads change no bit; without common shifts there is nothing. */
static void same_bits(void **state) {
    setup s = open_all(TIPS_FRAME_BLACK, false);
    tips_evaluate_result x, y, none;
    tips_evaluate_config other = s.config;
    (void)state;
    expect_ok(tips__evaluate_open(&s.config, s.set, &s.model, &x));
    other.batch = 5;
    expect_ok(tips__evaluate_open(&other, s.set, &s.model, &y));
    assert_memory_equal(&x.models[0].figures, &y.models[0].figures, sizeof x.models[0].figures);
    assert_null(strstr(x.command ? x.command : "", "set-frame"));
    other.set_shifts = 0;
    expect_ok(tips__evaluate_open(&other, s.set, &s.model, &none));
    assert_true(isnan(none.models[0].figures.own[TIPS_DETECT_STANDARD_DAP].value));
    assert_memory_equal(&x.models[0].figures.own[TIPS_DETECT_AP], &none.models[0].figures.own[TIPS_DETECT_AP],
                        sizeof(tips_figure));
    tips__evaluate_free(&none);
    other.set_shifts = SIZE + 1;
    assert_int_equal(tips__evaluate_open(&other, s.set, &s.model, &none), TIPS_RANGE);
    tips__evaluate_free(&x);
    tips__evaluate_free(&y);
    close_all(&s);
}

static void as_json(void **state) {
    static const char *const names[] = {"\"ap\"",         "\"ap50\"",          "\"ap75\"",
                                        "\"ar100\"",      "\"dap\"",           "\"dap50\"",
                                        "\"dap_bound\"",  "\"box_jitter\"",    "\"score_jitter\"",
                                        "\"vanishing\"",  "\"circular_dap\"",  "\"circular_vanishing\"",
                                        "\"set_levels\"", "\"set_shifts\": 9", "\"per_class\""};
    setup s = open_all(TIPS_FRAME_BLACK, true);
    tips_evaluate_result r;
    tips_json *json;
    const char *text;
    size_t length;
    (void)state;
    expect_ok(tips__evaluate_open(&s.config, s.set, &s.model, &r));
    expect_ok(tips__json_create(&json));
    tips__evaluate_put(json, &r);
    expect_ok(tips__json_result(json, &text, &length));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strstr(text, names[i])) fail_msg("no %s in %s", names[i], text);
    tips__json_destroy(json);
    tips__evaluate_free(&r);
    close_all(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_recount),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
