/* Common shifts: every picture of the set under the same ones, for figures that are of a whole set. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

const char *const tips__frame_names[] = {"black", "canvas", NULL};

bool tips__eval_has_frame(const eval_session *s) {
    return s->layout.set_views > 0 && s->config->set_frame == TIPS_FRAME_CANVAS && !s->config->change;
}

tips_status tips__eval_check_sets(const eval_session *s) {
    const int largest = s->set_range.high[0];
    if (s->layout.set_views == 0 || (largest < s->plan.size[0] && largest < s->plan.size[1])) return TIPS_OK;
    TIPS_FAIL(TIPS_RANGE, "--set-shifts %d: the input of %s is %d x %d pixels", s->config->set_shifts, s->name,
              s->plan.size[0], s->plan.size[1]);
}

tips_preprocess tips__eval_smaller(const eval_session *s) {
    tips_preprocess p = s->model->preprocess;
    p.height -= s->set_range.high[0];
    p.width -= s->set_range.high[1];
    p.resize = 0;
    return p;
}

/* The smaller picture at the top left of the canvas, black beside it. */
tips_status tips__eval_frame(const eval_session *s, const tips_image *picture, uint8_t *canvas) {
    const tips_preprocess smaller = tips__eval_smaller(s), *p = &s->model->preprocess;
    const size_t from = (size_t)smaller.width * (size_t)p->channels, to = (size_t)p->width * (size_t)p->channels;
    uint8_t *rows;
    TIPS_TRY(tips__new(&rows, (size_t)smaller.height * from, "a smaller picture"));
    const tips_status status = tips__preprocess_canvas(&smaller, picture, rows);
    memset(canvas, 0, (size_t)p->height * to);
    for (int y = 0; status == TIPS_OK && y < smaller.height; y++)
        memcpy(canvas + (size_t)y * to, rows + (size_t)y * from, from);
    tips__free(rows);
    return status;
}

static tips_status count_kind(eval_session *s, int slot, int kind) {
    const eval_layout *l = &s->layout;
    const tips_bytes *target =
        kind == TIPS_STANDARD && s->chunk.framed_target ? &s->chunk.framed_target[slot] : &s->chunk.target[slot];
    const int first = slot * s->chunk.views + l->sets_at[kind];
    const tips_bytes still = tips__pile_at(&s->chunk.answers, first);
    for (int cell = 0; cell < l->set_views; cell++) {
        const tips_bytes answer = tips__pile_at(&s->chunk.answers, first + cell);
        tips_answer_at moved = {.answer = &answer, .circular = kind == TIPS_CIRCULAR};
        tips__range_shift(&s->set_range, cell, moved.shift);
        TIPS_TRY(s->task->shift_score(&s->model->model.assignment,
                                      (tips_answer_at){.answer = &still, .circular = moved.circular}, moved, target,
                                      &s->chunk.answer));
        TIPS_TRY(tips__pile_add(&s->counts.sets[kind], &s->chunk.answer));
    }
    return TIPS_OK;
}

tips_status tips__eval_count_sets(eval_session *s, int slot) {
    for (int kind = 0; kind < TIPS_SHIFT_KINDS && s->layout.set_views > 0; kind++) TIPS_TRY(count_kind(s, slot, kind));
    return TIPS_OK;
}

static int size_of(const int shift[2]) { return abs(shift[0]) > abs(shift[1]) ? abs(shift[0]) : abs(shift[1]); }

/* Those of one size, or, if that is 0, all; none comes first. */
static int choose_columns(const eval_session *s, int size, int *columns) {
    int count = 0, shift[2];
    columns[count++] = tips__range_cell(&s->set_range, 0, 0);
    for (int cell = 0; cell < s->layout.set_views; cell++) {
        tips__range_shift(&s->set_range, cell, shift);
        if (cell != columns[0] && (size == 0 || size_of(shift) == size)) columns[count++] = cell;
    }
    return count;
}

static tips_status figures_of_size(const eval_session *s, int kind, int size, int *columns, tips_figure *own) {
    const tips_shift_scores scores = {.kind = kind,
                                      .scores = &s->counts.sets[kind],
                                      .images = s->counts.images,
                                      .stride = s->layout.set_views,
                                      .columns = columns,
                                      .count = choose_columns(s, size, columns)};
    return s->task->shift_figures(&s->model->model.assignment, &scores, own);
}

static tips_status level_figures(const eval_session *s, int kind, int *columns, tips_shift_result *out) {
    const int all = s->config->set_shifts - 1, levels = s->config->levels ? all : s->config->one_pixel && all > 0;
    if (levels == 0) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&out->set_levels, (size_t)levels * sizeof *out->set_levels, "the sizes' results"));
    out->n_set_levels = levels;
    for (int i = 0; i < levels; i++) {
        tips_set_level *level = &out->set_levels[i];
        level->size = i + 1;
        for (int k = 0; k < TIPS_MOST_OWN_METRICS; k++) level->own[k] = tips__figure_none();
        TIPS_TRY(figures_of_size(s, kind, level->size, columns, level->own));
    }
    return TIPS_OK;
}

tips_status tips__eval_set_figures(const eval_session *s, int kind, tips_model_result *out) {
    int *columns;
    if (s->layout.set_views == 0) return TIPS_OK;
    out->set_shifts = s->config->set_shifts;
    out->set_frame = s->config->set_frame;
    TIPS_TRY(tips__new(&columns, (size_t)s->layout.set_views * sizeof *columns, "the shifts' numbers"));
    tips_status status = figures_of_size(s, kind, 0, columns, out->figures.own);
    if (status == TIPS_OK) status = level_figures(s, kind, columns, &out->shift[kind]);
    tips__free(columns);
    return status;
}
