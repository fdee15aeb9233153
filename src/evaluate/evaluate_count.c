/* From answers to counts, and from counts to figures with their intervals. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "task/classify.h"

#include <string.h>

static void count_levels(eval_session *s, int kind, const int *answers, int label) {
    for (int d = 1; d < s->layout.level_views[kind]; d++) {
        const int pair[2] = {answers[0], answers[d]};
        const tips_pair_count one = tips__count_pairs(pair, 2, false, label);
        tips_pair_count *sum = &s->counts.levels[kind][d - 1];
        sum->pairs += one.pairs;
        sum->agree += one.agree;
        sum->right += one.right;
    }
}

static void count_picture(eval_session *s, int slot, bool with_grid) {
    const eval_layout *l = &s->layout;
    eval_counts *c = &s->counts;
    const int *answers = s->chunk.answers + (ptrdiff_t)slot * l->total, label = s->chunk.label[slot];
    const int image = c->images++;
    c->right += answers[0] == label;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        c->pairs[kind][image] =
            tips__count_pairs(answers + l->pairs_at[kind], l->pair_views, s->plan.protocol->sequence, label);
        count_levels(s, kind, answers + l->levels_at[kind], label);
        if (with_grid) tips__heatmap_add(&c->heatmap[kind], answers + l->grid_at[kind], label);
    }
}

const tips_metric *tips__evaluate_metrics(void) { return tips__tasks[0]->metrics; }

void tips__eval_count_chunk(eval_session *s, bool with_grid) {
    for (int i = 0; i < s->chunk.count; i++) count_picture(s, i, with_grid);
}

tips_status tips__eval_count_msb(eval_session *s) {
    const int layers = s->n_msb_layers;
    for (int first = 0; s->kept_net && first < s->chunk.count; first += s->kept_batch) {
        const int left = s->chunk.count - first, count = left < s->kept_batch ? left : s->kept_batch;
        for (int i = 0; i < count; i++) tips__eval_fill(s, first + i, 0, i);
        TIPS_TRY(tips__net_set_map(s->kept_net, s->model->model.ends.input, s->input));
        TIPS_TRY(tips__net_forward(s->kept_net));
        tips__msb_net(s->kept_net, s->msb_layers, layers, count,
                      s->counts.msb + (ptrdiff_t)(s->counts.images + first) * layers);
    }
    return TIPS_OK;
}

/* Windows and hits of layers from..to-1, per picture. */
typedef struct msb_columns {
    int64_t *windows, *hits, *nontrivial_windows, *nontrivial_hits; /* (images) */
} msb_columns;

static void gather(const eval_session *s, int from, int to, const msb_columns *c) {
    for (int i = 0; i < s->counts.images; i++) {
        c->windows[i] = c->hits[i] = c->nontrivial_windows[i] = c->nontrivial_hits[i] = 0;
        for (int layer = from; layer < to; layer++) {
            const tips_msb_count *one = &s->counts.msb[(ptrdiff_t)i * s->n_msb_layers + layer];
            c->windows[i] += one->windows;
            c->hits[i] += one->hits;
            c->nontrivial_windows[i] += one->nontrivial_windows;
            c->nontrivial_hits[i] += one->nontrivial_hits;
        }
    }
}

static tips_status msb_of(const eval_session *s, int from, int to, const msb_columns *c, tips_msb_result *out) {
    const uint64_t seed = (uint64_t)s->config->network.seed;
    gather(s, from, to, c);
    for (int i = 0; i < s->counts.images; i++) {
        out->windows += c->windows[i];
        out->nontrivial_windows += c->nontrivial_windows[i];
    }
    TIPS_TRY(tips__bootstrap(c->hits, c->windows, s->counts.images, seed, &out->msb));
    return tips__bootstrap(c->nontrivial_hits, c->nontrivial_windows, s->counts.images, seed, &out->nontrivial);
}

static tips_status msb_figures(const eval_session *s, tips_model_result *out) {
    const size_t n = (size_t)s->counts.images;
    tips_msb_result all = {0};
    int64_t *columns;
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

static tips_status level_figures(const eval_session *s, int kind, tips_shift_result *out) {
    const int levels = s->layout.level_views[kind] > 0 ? s->layout.level_views[kind] - 1 : 0;
    if (levels == 0) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&out->levels, (size_t)levels * sizeof *out->levels, "the sizes' results"));
    out->n_levels = levels;
    for (int i = 0; i < levels; i++) {
        const tips_pair_count *c = &s->counts.levels[kind][i];
        out->levels[i] = (tips_level_result){.size = i + 1,
                                             .consistency = tips__wilson(c->agree, c->pairs),
                                             .fidelity = tips__wilson(c->right, c->pairs)};
    }
    return TIPS_OK;
}

static tips_status pair_figures(const eval_session *s, int kind, tips_figures *out) {
    tips_figure *same = tips__figure_of_kind(out, TIPS_METRIC_STANDARD_CONSISTENCY, kind);
    TIPS_TRY(tips__consistency(s->counts.pairs[kind], s->counts.images, (uint64_t)s->config->network.seed, same,
                               tips__figure_of_kind(out, TIPS_METRIC_STANDARD_FIDELITY, kind)));
    *tips__figure_of_kind(out, TIPS_METRIC_STANDARD_PRODUCT, kind) =
        tips__figure_plain(out->own[tips__metric_main(out->task)].value * same->value / 100);
    if (s->plan.protocol->sequence)
        *tips__figure_of_kind(out, TIPS_METRIC_STANDARD_FLIPS, kind) =
            (tips_figure){100 - same->value, 100 - same->high, 100 - same->low};
    return TIPS_OK;
}

static void worst_figures(const tips_heatmap *map, int kind, tips_figures *out) {
    *tips__figure_of_kind(out, TIPS_METRIC_STANDARD_WORST_CONSISTENCY, kind) =
        tips__wilson(map->always_same, map->images);
    *tips__figure_of_kind(out, TIPS_METRIC_STANDARD_WORST_ACCURACY, kind) =
        tips__wilson(map->always_right, map->images);
}

static tips_status shift_figures(eval_session *s, int kind, tips_model_result *out) {
    tips_heatmap *map = &s->counts.heatmap[kind];
    TIPS_TRY(pair_figures(s, kind, &out->figures));
    worst_figures(map, kind, &out->figures);
    out->shift[kind].heatmap = *map;
    *map = (tips_heatmap){0};
    return level_figures(s, kind, &out->shift[kind]);
}

tips_status tips__eval_figures(eval_session *s, tips_model_result *out) {
    const eval_counts *c = &s->counts;
    if (c->images == 0) TIPS_FAIL(TIPS_FORMAT, "%s: none of the pictures could be read", tips__dataset_path(s->set));
    out->images = c->images;
    out->figures = tips__figures_none(tips__evaluate_metrics());
    out->figures.own[TIPS_CLASSIFY_ACCURACY] = tips__wilson(c->right, c->images);
    out->figures.own[TIPS_CLASSIFY_TOP5] = tips__wilson(c->right5, c->images);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) TIPS_TRY(shift_figures(s, kind, out));
    return msb_figures(s, out);
}

void tips__model_result_clear(tips_model_result *r) {
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        tips__free(r->shift[kind].levels);
        tips__heatmap_clear(&r->shift[kind].heatmap);
    }
    tips__free(r->layers);
    tips__free(r->name);
    *r = (tips_model_result){0};
}
