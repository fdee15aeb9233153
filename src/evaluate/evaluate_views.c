/* The views of a picture, and the network's answers to them in full batches. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "image/planes.h"

/* Sizes of shifts that pictures are answered at, besides none. */
static int count_levels(const eval_session *s, int kind) {
    if (s->config->levels) return tips__plan_levels(&s->plan, kind);
    return s->config->one_pixel && s->task->flags & TIPS_TASK_MASK && tips__plan_levels(&s->plan, kind) > 0;
}

eval_layout tips__eval_layout(const eval_session *s) {
    eval_layout l = {.pair_views = s->config->unshifted ? 0 : s->plan.views, .usual = 1};
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        l.pairs_at[kind] = l.usual;
        l.usual += l.pair_views;
    }
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        const int levels = count_levels(s, kind);
        l.level_views[kind] = s->config->levels || levels > 0 ? 1 + levels : 0;
        l.levels_at[kind] = l.usual;
        l.usual += l.level_views[kind];
    }
    l.set_views = s->task->shift_score && s->config->set_shifts > 0 ? tips__range_cells(&s->set_range) : 0;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        l.sets_at[kind] = l.usual;
        l.usual += l.set_views;
    }
    l.total = l.usual;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        l.cells[kind] = s->grid_images > 0 ? tips__range_cells(&s->grid[kind]) : 0;
        l.grid_at[kind] = l.total;
        l.total += l.cells[kind];
    }
    return l;
}

static bool is_within(int view, int start, int count) { return view >= start && view < start + count; }

eval_view tips__eval_view(const eval_session *s, int image, int view) {
    const eval_layout *l = &s->layout;
    eval_view out = {.plain = view == 0};
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        const int pair = view - l->pairs_at[kind], level = view - l->levels_at[kind], cell = view - l->grid_at[kind];
        const bool is_pair = is_within(view, l->pairs_at[kind], l->pair_views);
        const bool is_level = is_within(view, l->levels_at[kind], l->level_views[kind]);
        const bool is_cell = is_within(view, l->grid_at[kind], l->cells[kind]);
        const bool is_set = is_within(view, l->sets_at[kind], l->set_views);
        if (is_pair || is_level || is_set || is_cell) out.kind = kind;
        if (is_pair) tips__plan_shift(&s->plan, kind, image, pair, out.shift);
        if (is_level && level > 0) tips__plan_level_shift(&s->plan, kind, image, level, out.shift);
        if (is_set) tips__range_shift(&s->set_range, view - l->sets_at[kind], out.shift);
        if (is_set && kind == TIPS_STANDARD) out.framed = tips__eval_has_frame(s), out.set = true;
        if (is_cell) tips__range_shift(&s->grid[kind], cell, out.shift);
    }
    return out;
}

void tips__eval_fill(const eval_session *s, int slot, int view, int place, float *out) {
    const tips_preprocess *p = &s->model->preprocess;
    const size_t pixels = (size_t)p->height * (size_t)p->width * (size_t)p->channels;
    const eval_view v = tips__eval_view(s, s->chunk.index[slot], view);
    const uint8_t *canvas = s->chunk.canvas + (size_t)slot * pixels;
    if (s->chunk.planes) {
        tips__planes_to_input(p, s->chunk.planes + (size_t)slot * pixels, v.shift[0], v.shift[1],
                              v.kind == TIPS_CIRCULAR, out);
    } else if (v.framed) {
        tips__canvas_to_input(p, s->chunk.framed + (size_t)slot * pixels, v.shift[0], v.shift[1], false, out);
    } else if (!v.plain && !v.set && v.kind == TIPS_STANDARD && s->chunk.large) {
        const size_t large = (size_t)s->plan.canvas[0] * (size_t)s->plan.canvas[1] * (size_t)p->channels;
        uint8_t *window = s->chunk.window + (size_t)place * pixels;
        tips__plan_window(&s->plan, s->chunk.large + (size_t)slot * large, p->channels, v.shift, window);
        tips__canvas_to_input(p, window, 0, 0, false, out);
    } else {
        tips__canvas_to_input(p, canvas, v.shift[0], v.shift[1], v.kind == TIPS_CIRCULAR, out);
    }
}

/* Question i of a chunk is view i % views of picture i / views. */
static void fill(void *context, int64_t i, float *input) {
    const eval_session *s = context;
    const int views = s->chunk.views, batch = s->config->batch;
    tips__eval_fill(s, (int)(i / views), (int)(i % views), (int)(i % batch), input);
}

static tips_status refuse(const eval_session *s, int slot) {
    char item[512];
    tips__dataset_item_name(s->set, s->split, s->chunk.index[slot], item, sizeof item);
    TIPS_FAIL(TIPS_NUMERIC, "the scores for %s are not finite", item);
}

static tips_status take(void *context, int64_t i, const tips_outputs *outputs, int at) {
    eval_session *s = context;
    const int slot = (int)(i / s->chunk.views);
    if (s->config->stop && s->config->stop(s->config->context)) TIPS_FAIL(TIPS_INTERRUPTED, "interrupted");
    if (!tips__outputs_finite(outputs, at)) return refuse(s, slot);
    TIPS_TRY(s->task->answer(&s->model->model.assignment, outputs, at, &s->chunk.answer));
    TIPS_TRY(tips__pile_add(&s->chunk.answers, &s->chunk.answer));
    if (i % s->chunk.views) return TIPS_OK;
    return tips__tally_add(&s->counts.tally, outputs, at, &s->chunk.target[slot]);
}

static void tell(void *context, int answered) {
    eval_session *s = context;
    s->done += answered;
    if (s->config->progress) s->config->progress(s->config->context, s->name, s->done, s->passes);
}

tips_status tips__eval_answer_chunk(eval_session *s, int views) {
    const tips_questions questions = {
        .count = (int64_t)s->chunk.count * views, .fill = fill, .take = take, .progress = tell, .context = s};
    s->chunk.views = views;
    tips__pile_empty(&s->chunk.answers);
    const tips_status status = tips__answer_all(s->answerer, &questions);
    return status == TIPS_NUMERIC ? tips__fail_within(status, s->name) : status;
}
