/* The views of a picture, and the network's answers to them in full batches. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/threads.h"
#include "metric/accuracy.h"

eval_layout tips__eval_layout(const eval_session *s) {
    eval_layout l = {.pair_views = s->plan.views, .usual = 1};
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        l.pairs_at[kind] = l.usual;
        l.usual += l.pair_views;
    }
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        l.level_views[kind] = s->config->levels ? 1 + tips__plan_levels(&s->plan, kind) : 0;
        l.levels_at[kind] = l.usual;
        l.usual += l.level_views[kind];
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
        if (is_pair || is_level || is_cell) out.kind = kind;
        if (is_pair) tips__plan_shift(&s->plan, kind, image, pair, out.shift);
        if (is_level && level > 0) tips__plan_level_shift(&s->plan, kind, image, level, out.shift);
        if (is_cell) tips__range_shift(&s->grid[kind], cell, out.shift);
    }
    return out;
}

void tips__eval_fill(const eval_session *s, int slot, int view, int place) {
    const tips_preprocess *p = &s->model->preprocess;
    const size_t pixels = (size_t)p->height * (size_t)p->width * (size_t)p->channels;
    const eval_view v = tips__eval_view(s, s->chunk.index[slot], view);
    const uint8_t *canvas = s->chunk.canvas + (size_t)slot * pixels;
    float *out = s->input + (size_t)place * pixels;
    if (!v.plain && v.kind == TIPS_STANDARD && s->chunk.large) {
        const size_t large = (size_t)s->plan.canvas[0] * (size_t)s->plan.canvas[1] * (size_t)p->channels;
        uint8_t *window = s->chunk.window + (size_t)place * pixels;
        tips__plan_window(&s->plan, s->chunk.large + (size_t)slot * large, p->channels, v.shift, window);
        tips__canvas_to_input(p, window, 0, 0, false, out);
    } else {
        tips__canvas_to_input(p, canvas, v.shift[0], v.shift[1], v.kind == TIPS_CIRCULAR, out);
    }
}

static tips_status check_scores(const eval_session *s, int slot, const float *scores) {
    char item[512];
    if (tips__scores_finite(scores, s->model->info.config.classes)) return TIPS_OK;
    tips__dataset_item_name(s->set, s->split, s->chunk.index[slot], item, sizeof item);
    TIPS_FAIL(TIPS_NUMERIC, "%s: the scores for %s are not finite", s->name, item);
}

/* Jobs first.. of the chunk: job j is view j % views of picture j / views. */
static tips_status answer_batch(eval_session *s, int views, int64_t first, int count) {
    const int classes = s->model->info.config.classes;
    TIPS_PARALLEL_FOR (i, count) tips__eval_fill(s, (int)((first + i) / views), (int)((first + i) % views), i);
    TIPS_TRY(tips__net_set_map(s->net, s->model->model.ends.input, s->input));
    TIPS_TRY(tips__net_forward(s->net));
    TIPS_TRY(tips__net_get_map(s->net, s->model->model.ends.outputs[0], s->scores));
    for (int i = 0; i < count; i++) {
        const int slot = (int)((first + i) / views), view = (int)((first + i) % views);
        const float *scores = s->scores + (ptrdiff_t)i * classes;
        TIPS_TRY(check_scores(s, slot, scores));
        s->chunk.answers[(ptrdiff_t)slot * s->layout.total + view] = tips__answer(scores, classes);
        if (view == 0) s->counts.right5 += tips__rank(scores, classes, s->chunk.label[slot]) < 5;
    }
    return TIPS_OK;
}

tips_status tips__eval_answer_chunk(eval_session *s, int views) {
    const int64_t jobs = (int64_t)s->chunk.count * views;
    for (int64_t first = 0; first < jobs; first += s->config->batch) {
        const int count = (int)(jobs - first < s->config->batch ? jobs - first : s->config->batch);
        TIPS_TRY(answer_batch(s, views, first, count));
        s->done += count;
        if (s->config->progress) s->config->progress(s->config->context, s->name, s->done, s->passes);
    }
    return TIPS_OK;
}
