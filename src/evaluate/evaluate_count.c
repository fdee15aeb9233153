/* From answers to counts, and from counts to figures with their intervals. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* The answers to the views of one picture of the chunk. */
typedef struct picture_answers {
    const eval_session *s;
    int slot;
} picture_answers;

static tips_agreement compare(const void *context, int a, int b) {
    const picture_answers *p = context;
    const eval_session *s = p->s;
    const int views[2] = {a, b};
    tips_bytes answers[2];
    tips_answer_at at[2];
    for (int i = 0; i < 2; i++) {
        const eval_view v = tips__eval_view(s, s->chunk.index[p->slot], views[i]);
        answers[i] = tips__pile_at(&s->chunk.answers, p->slot * s->chunk.views + views[i]);
        at[i] = (tips_answer_at){&answers[i], {v.shift[0], v.shift[1]}, v.kind == TIPS_CIRCULAR};
    }
    return s->task->agree(&s->model->model.assignment, at[0], at[1], &s->chunk.target[p->slot]);
}

static void count_picture(eval_session *s, int slot, bool with_grid) {
    const eval_layout *l = &s->layout;
    eval_counts *c = &s->counts;
    const picture_answers picture = {s, slot};
    const tips_answers answers = {compare, &picture};
    const int image = c->images++;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        const int level = l->levels_at[kind];
        c->pairs[kind][image] =
            tips__count_pairs(&answers, l->pairs_at[kind], l->pair_views, s->plan.protocol->sequence);
        for (int d = 1; d < l->level_views[kind]; d++)
            c->levels[kind][(ptrdiff_t)(d - 1) * s->images + image] = compare(&picture, level, level + d);
        if (!with_grid) continue;
        const tips_agreement worst = tips__heatmap_add(&c->heatmap[kind], &answers, l->grid_at[kind]);
        c->worst[kind][c->heatmap[kind].images - 1] = worst;
    }
}

static void tally_found(eval_session *s, int slot) {
    const tips_bytes answer = tips__pile_at(&s->chunk.answers, slot * s->chunk.views);
    if (s->task->flags & TIPS_TASK_BOXES) tips__found_tally_add(&s->counts.found, &s->model->model.assignment, &answer);
}

tips_status tips__eval_count_chunk(eval_session *s, bool with_grid) {
    for (int i = 0; i < s->chunk.count; i++) {
        tally_found(s, i);
        TIPS_TRY(tips__eval_note_answer(s, i, s->counts.images));
        TIPS_TRY(tips__eval_count_sets(s, i));
        count_picture(s, i, with_grid);
    }
    return TIPS_OK;
}

tips_status tips__eval_count_msb(eval_session *s) {
    const int layers = s->n_msb_layers;
    for (int first = 0; s->kept_net && first < s->chunk.count; first += s->kept_batch) {
        const int left = s->chunk.count - first, count = left < s->kept_batch ? left : s->kept_batch;
        const size_t elements =
            (size_t)s->plan.size[0] * (size_t)s->plan.size[1] * (size_t)s->model->preprocess.channels;
        for (int i = 0; i < count; i++) tips__eval_fill(s, first + i, 0, i, s->kept_input + (size_t)i * elements);
        TIPS_TRY(tips__net_set_map(s->kept_net, s->model->model.ends.input, s->kept_input));
        TIPS_TRY(tips__net_forward(s->kept_net));
        tips__msb_net(s->kept_net, s->msb_layers, layers, count,
                      s->counts.msb + (ptrdiff_t)(s->counts.images + first) * layers);
    }
    return TIPS_OK;
}

/* Windows and hits of layers from..to-1, per picture. */
typedef struct msb_columns {
    double *windows, *hits, *nontrivial_windows, *nontrivial_hits; /* (images) */
} msb_columns;

static void gather(const eval_session *s, int from, int to, const msb_columns *c) {
    for (int i = 0; i < s->counts.images; i++) {
        c->windows[i] = c->hits[i] = c->nontrivial_windows[i] = c->nontrivial_hits[i] = 0;
        for (int layer = from; layer < to; layer++) {
            const tips_msb_count *one = &s->counts.msb[(ptrdiff_t)i * s->n_msb_layers + layer];
            c->windows[i] += (double)one->windows;
            c->hits[i] += (double)one->hits;
            c->nontrivial_windows[i] += (double)one->nontrivial_windows;
            c->nontrivial_hits[i] += (double)one->nontrivial_hits;
        }
    }
}

/* All windows or none, of thousands in each picture, are so by construction, and pictures that were not met too. */
static tips_status share_of_windows(const double *hits, const double *windows, int images, tips_figure *out) {
    TIPS_TRY(tips__part_of_all(hits, windows, images, out));
    if (out->value <= 0 || out->value >= 100) out->low = out->high = out->value;
    return TIPS_OK;
}

static tips_status msb_of(const eval_session *s, int from, int to, const msb_columns *c, tips_msb_result *out) {
    gather(s, from, to, c);
    for (int i = 0; i < s->counts.images; i++) {
        out->windows += (int64_t)c->windows[i];
        out->nontrivial_windows += (int64_t)c->nontrivial_windows[i];
    }
    TIPS_TRY(share_of_windows(c->hits, c->windows, s->counts.images, &out->msb));
    return share_of_windows(c->nontrivial_hits, c->nontrivial_windows, s->counts.images, &out->nontrivial);
}

static tips_status msb_figures(const eval_session *s, tips_model_result *out) {
    const size_t n = (size_t)s->counts.images;
    tips_msb_result all = {0};
    double *columns;
    if (s->n_msb_layers == 0) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&out->layers, (size_t)s->n_msb_layers * sizeof *out->layers, "the layers' results"));
    out->n_layers = s->n_msb_layers;
    TIPS_TRY(tips__new(&columns, 4 * n * sizeof *columns, "the counts of windows"));
    const msb_columns c = {columns, columns + n, columns + 2 * n, columns + 3 * n};
    tips_status status = msb_of(s, 0, s->n_msb_layers, &c, &all);
    for (int i = 0; i < s->n_msb_layers && status == TIPS_OK; i++) {
        tips_msb_result *layer = &out->layers[i];
        strncpy(layer->name, s->msb_layers[i].name, sizeof layer->name - 1);
        status = msb_of(s, i, i + 1, &c, layer);
    }
    tips__free(columns);
    out->figures.common[TIPS_METRIC_MSB] = all.msb;
    out->figures.common[TIPS_METRIC_MSB_NONTRIVIAL] = all.nontrivial;
    return status;
}

static bool is_graded(const eval_session *s) { return s->task->flags & TIPS_TASK_GRADED; }

static tips_status level_figures(const eval_session *s, int kind, tips_shift_result *out) {
    const int levels = s->layout.level_views[kind] > 0 ? s->layout.level_views[kind] - 1 : 0;
    if (levels == 0) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&out->levels, (size_t)levels * sizeof *out->levels, "the sizes' results"));
    out->n_levels = levels;
    for (int i = 0; i < levels; i++) {
        tips_level_result *level = &out->levels[i];
        level->size = i + 1;
        TIPS_TRY(tips__agreements(s->counts.levels[kind] + (ptrdiff_t)i * s->images, s->counts.images, is_graded(s),
                                  &level->consistency, &level->fidelity));
    }
    return TIPS_OK;
}

/* What is measured in percent can be multiplied with the consistency. */
static tips_figure product_of(const tips_figures *f, double consistency) {
    const int row = tips__metric_main(f->task);
    if (strcmp(f->task[row].unit, "%") != 0) return tips__figure_none();
    return tips__figure_plain(f->own[row].value * consistency / 100);
}

static tips_status pair_figures(const eval_session *s, int kind, tips_figures *out) {
    tips_figure *same = tips__figure_of_kind(out, TIPS_METRIC_STANDARD_CONSISTENCY, kind);
    if (s->config->unshifted) return TIPS_OK;
    TIPS_TRY(tips__consistency(s->counts.pairs[kind], s->counts.images, is_graded(s), same,
                               tips__figure_of_kind(out, TIPS_METRIC_STANDARD_FIDELITY, kind)));
    *tips__figure_of_kind(out, TIPS_METRIC_STANDARD_PRODUCT, kind) = product_of(out, same->value);
    if (s->plan.protocol->sequence)
        *tips__figure_of_kind(out, TIPS_METRIC_STANDARD_FLIPS, kind) =
            (tips_figure){100 - same->value, 100 - same->high, 100 - same->low};
    return TIPS_OK;
}

static tips_status worst_figures(const eval_session *s, int kind, tips_figures *out) {
    return tips__agreements(s->counts.worst[kind], s->counts.heatmap[kind].images, is_graded(s),
                            tips__figure_of_kind(out, TIPS_METRIC_STANDARD_WORST_CONSISTENCY, kind),
                            tips__figure_of_kind(out, TIPS_METRIC_STANDARD_WORST_ACCURACY, kind));
}

static tips_status shift_figures(eval_session *s, int kind, tips_model_result *out) {
    tips_heatmap *map = &s->counts.heatmap[kind];
    TIPS_TRY(pair_figures(s, kind, &out->figures));
    if (map->images > 0) TIPS_TRY(worst_figures(s, kind, &out->figures));
    out->shift[kind].heatmap = *map;
    *map = (tips_heatmap){0};
    TIPS_TRY(level_figures(s, kind, &out->shift[kind]));
    return tips__eval_set_figures(s, kind, out);
}

/* Of the task's metrics, those that an evaluation shows. */
static tips_status own_figures(const eval_session *s, tips_figures *out) {
    tips_figure own[TIPS_MOST_OWN_METRICS];
    TIPS_TRY(tips__tally_figures(&s->counts.tally, own));
    for (int i = 0; out->task[i].name; i++)
        if (out->task[i].need != TIPS_NEEDS_TRAINING) out->own[i] = own[i];
    return TIPS_OK;
}

/* Of each class, where the task has such figures. */
static tips_status class_figures(const eval_session *s, tips_model_result *out) {
    const tips_tally *tally = &s->counts.tally;
    const int classes = tally->assignment->classes;
    if (!s->task->class_figure) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&out->classes_own, (size_t)classes * sizeof *out->classes_own, "the classes' results"));
    out->class_metric = s->task->class_metric;
    for (int i = 0; i < classes; i++) {
        tips_class_result *c = &out->classes_own[i];
        snprintf(c->name, sizeof c->name, "%s", s->names[i]);
        TIPS_TRY(s->task->class_figure(tally->assignment, tally->scores, tally->count, i, &c->figure));
    }
    return TIPS_OK;
}

tips_status tips__eval_figures(eval_session *s, tips_model_result *out) {
    const eval_counts *c = &s->counts;
    if (c->images == 0) TIPS_FAIL(TIPS_FORMAT, "%s: none of the pictures could be read", tips__dataset_path(s->set));
    out->images = c->images;
    out->wanted = s->images;
    out->interrupted = s->interrupted;
    out->pictures = tips__eval_pictures(s);
    TIPS_TRY(tips__eval_class_map(s, &out->class_map));
    out->saw_them = tips__eval_saw_them(s);
    tips__model_small_logits(s->model, out->small);
    TIPS_TRY(tips__eval_each(s, &out->each));
    TIPS_TRY(tips__eval_frequent(s, &out->frequent));
    out->figures = tips__figures_none(s->task->metrics);
    TIPS_TRY(own_figures(s, &out->figures));
    TIPS_TRY(class_figures(s, out));
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) TIPS_TRY(shift_figures(s, kind, out));
    return msb_figures(s, out);
}

void tips__model_result_clear(tips_model_result *r) {
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        tips__free(r->shift[kind].levels);
        tips__free(r->shift[kind].set_levels);
        tips__heatmap_clear(&r->shift[kind].heatmap);
    }
    tips__class_map_clear(&r->class_map);
    tips__picture_values_clear(&r->each);
    tips__free(r->layers);
    tips__free(r->classes_own);
    tips__free(r->name);
    *r = (tips_model_result){0};
}
