/* Boxes that jump, appear and vanish from one frame to the next, with the known motion of the scene undone. */
#include "predict/predict_parts.h"

#include "chart/chart.h"
#include "core/fail.h"
#include "core/memory.h"
#include "task/detect.h"

#include <stdio.h>
#include <string.h>

static tips_predict_step compare(const predictor *p, const tips_prediction *last, const tips_prediction *now,
                                 const int motion[2]) {
    const double same = tips__detect_config_of(&p->model.model.assignment)->measure.same;
    const tips_jitter_rule rule = {{now->size[0], now->size[1]}, p->result.shown, same, true};
    const tips_boxes_at before = {last->boxes, last->n_boxes, {0, 0}, false};
    const tips_boxes_at after = {now->boxes, now->n_boxes, {motion[0], motion[1]}, false};
    return (tips_predict_step){.motion = {motion[0], motion[1]}, .jitter = tips__box_jitter(&rule, before, after)};
}

tips_status tips__predict_add_boxes(predictor *p, const tips_prediction *now) {
    const tips_prediction *last = now - 1;
    int motion[2];
    if (p->flicker.seen++ == 0) return TIPS_OK;
    TIPS_TRY(tips__predict_next_step(p, now->name, last->size, now->size, motion));
    return tips__predict_add_step(p, compare(p, last, now, motion));
}

typedef double figure_of(const tips_jitter *j);

static void fill(const tips_predict_result *r, figure_of *figure, double factor, tips_chart_series *series) {
    for (int i = 0; i < r->n_steps; i++) {
        series->x[i] = i + 1;
        series->y[i] = factor * figure(&r->steps[i].jitter);
    }
}

static tips_status draw(predictor *p, double *numbers) {
    tips_predict_result *r = &p->result;
    const size_t n = (size_t)r->n_steps, size = strlen(p->config->out) + 16;
    tips_chart_series series[3];
    for (int i = 0; i < 3; i++)
        series[i] = (tips_chart_series){
            .count = r->n_steps, .x = numbers + 2 * n * (size_t)i, .y = numbers + 2 * n * (size_t)i + n};
    fill(r, tips__jitter_edges, 1, &series[0]);
    fill(r, tips__jitter_scores, 100, &series[1]);
    fill(r, tips__jitter_vanishing, 100, &series[2]);
    const tips_chart charts[3] = {
        {.kind = TIPS_CHART_LINES,
         .name = "box-jitter",
         .title = "Box jitter",
         .description = "How far the edges of boxes move against the scene, by the step from frame to frame.",
         .x_label = "step",
         .y_label = "box jitter, px",
         .series = &series[0],
         .n_series = 1},
        {.kind = TIPS_CHART_LINES,
         .name = "score-jitter",
         .title = "Score jitter",
         .description = "How much the scores of boxes change, by the step from frame to frame.",
         .x_label = "step",
         .y_label = "score jitter, points",
         .series = &series[1],
         .n_series = 1},
        {.kind = TIPS_CHART_LINES,
         .name = "vanishing",
         .title = "Boxes that appear or vanish",
         .description = "The share of boxes that are shown in one of two frames, by the step from frame to frame.",
         .x_label = "step",
         .y_label = "appear or vanish, %",
         .high = 100,
         .percent = true,
         .series = &series[2],
         .n_series = 1},
    };
    TIPS_TRY(tips__new(&r->flicker_map, size, "the name of a file"));
    snprintf(r->flicker_map, size, "%s/flicker.svg", p->config->out);
    return tips__charts_save((const tips_chart *const[]){&charts[0], &charts[1], &charts[2]}, 3, p->config->out,
                             "flicker");
}

static tips_status draw_steps(predictor *p) {
    double *numbers;
    TIPS_TRY(tips__new(&numbers, 6 * (size_t)p->result.n_steps * sizeof *numbers, "a chart"));
    const tips_status status = draw(p, numbers);
    tips__free(numbers);
    return status;
}

tips_status tips__predict_end_jitter(predictor *p) {
    tips_predict_result *r = &p->result;
    TIPS_TRY(tips__motion_check(&p->flicker.motion, r->n_steps));
    for (int i = 0; i < r->n_steps; i++) tips__jitter_add(&r->jitter, &r->steps[i].jitter);
    return p->config->out && r->n_steps > 0 ? draw_steps(p) : TIPS_OK;
}
