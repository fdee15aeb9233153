/* tips eval: runs all pictures through a model, and sums up. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/timing.h"
#include "evaluate/evaluate_json.h"
#include "task/foreign_boxes.h"

#include <stdio.h>
#include <string.h>

tips_status tips__eval_split(const tips_evaluate_config *config, tips_dataset *set, tips_split *out) {
    tips_split split = (tips_split)config->split;
    if (split == TIPS_SPLIT_TEST && tips__dataset_count(set, split) == 0) split = TIPS_SPLIT_VAL;
    if (tips__dataset_count(set, split) == 0)
        TIPS_FAIL(TIPS_INVALID, "%s has no %s pictures", tips__dataset_path(set), tips__split_names[split]);
    *out = split;
    return TIPS_OK;
}

static void announce(const eval_session *s) {
    const tips_evaluate_cost cost = {.model = s->name,
                                     .images = s->images,
                                     .grid_images = s->grid_images,
                                     .passes = s->passes,
                                     .grid_passes = (double)s->grid_images * (s->layout.total - s->layout.usual),
                                     .set_passes = (double)s->images * TIPS_SHIFT_KINDS * s->layout.set_views};
    if (s->config->cost) s->config->cost(s->config->context, &cost);
}

static tips_status run_chunk(eval_session *s, int first, int count, bool with_grid) {
    TIPS_TRY(tips__eval_load_chunk(s, first, count));
    TIPS_TRY(tips__eval_answer_chunk(s, with_grid ? s->layout.total : s->layout.usual));
    TIPS_TRY(tips__eval_count_msb(s));
    return tips__eval_count_chunk(s, with_grid);
}

/* What of a chunk was answered before the stop is not counted. */
static tips_status end_early(eval_session *s) {
    if (s->counts.images == 0) TIPS_FAIL(TIPS_INTERRUPTED, "interrupted before the first pictures were evaluated");
    s->interrupted = true;
    tips__tally_cut(&s->counts.tally, s->counts.images);
    return TIPS_OK;
}

/* A chunk is a batch of pictures, cut where the pictures of the heat map end. */
static tips_status run_chunks(eval_session *s) {
    for (int first = 0, count; first < s->images; first += count) {
        const bool with_grid = first < s->grid_images;
        const int end = with_grid ? s->grid_images : s->images;
        count = end - first < s->chunk_size ? end - first : s->chunk_size;
        const tips_status status = run_chunk(s, first, count, with_grid);
        if (status == TIPS_INTERRUPTED) return end_early(s);
        TIPS_TRY(status);
    }
    return TIPS_OK;
}

static tips_status run_session(eval_session *s, tips_model_result *out) {
    TIPS_TRY(tips__eval_session_create(s));
    announce(s);
    TIPS_TRY(run_chunks(s));
    out->found = s->counts.found;
    return tips__eval_figures(s, out);
}

static tips_status describe(const tips_loaded_model *model, const char *name, bool is_random, tips_model_result *out) {
    const tips_arch_config *c = &model->info.config;
    out->name = tips__strdup(name);
    if (!out->name) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    out->is_random = is_random;
    tips__task_format(&model->info.task, out->task, sizeof out->task);
    snprintf(out->arch, sizeof out->arch, "%s", model->info.arch ? model->info.arch->name : "");
    snprintf(out->padding, sizeof out->padding, "%s", tips_pad_mode_names[c->padding]);
    tips__pool_format(&c->pool, out->pool, sizeof out->pool);
    out->lpf = c->pool.lpf;
    out->size[0] = c->size[0], out->size[1] = c->size[1];
    out->channels = c->in_channels;
    out->input = tips__model_input(&model->info);
    out->lone_channel = model->lone_channel;
    out->stored = model->info.stored;
    out->classes = c->classes;
    tips__foreign_style(&model->model.assignment, out->boxes, sizeof out->boxes);
    return TIPS_OK;
}

/* Changed pictures are numbers, around which all is black. */
static const char *border_of(const eval_session *s) {
    if (s->config->change) return tips__pad_names[TIPS_PAD_BLACK];
    if (tips__plan_has_canvas(&s->plan)) return "picture";
    return tips__pad_names[s->model->preprocess.placement.pad];
}

static int images_of(const tips_evaluate_config *config, tips_dataset *set, tips_split split) {
    const int all = tips__dataset_count(set, split);
    return config->limit > 0 && config->limit < all ? config->limit : all;
}

tips_status tips__eval_model(const tips_evaluate_config *config, tips_dataset *set, const char *path,
                             const tips_loaded_model *model, tips_model_result *out) {
    const char *name = path[0] ? path : config->network.pool;
    const double start = tips__now();
    eval_session s = {.config = config, .name = name, .set = set, .model = model};
    TIPS_TRY(tips__eval_split(config, set, &s.split));
    s.images = images_of(config, set, s.split);
    tips_status status = describe(model, name, !path[0], out);
    if (status == TIPS_OK) status = run_session(&s, out);
    out->protocol = s.plan.protocol;
    if (status == TIPS_OK) out->border = border_of(&s);
    tips__eval_session_destroy(&s);
    out->seconds = tips__now() - start;
    if (status != TIPS_OK) tips__model_result_clear(out);
    return status;
}

tips_status tips__eval_sum_up(const tips_evaluate_config *config, tips_dataset *set, tips_evaluate_result *r) {
    const tips_shift_protocol *protocol = r->models[0].protocol;
    const tips_shift_plan plan = tips__shift_plan(protocol, r->models[0].size, config->pairs, 0);
    tips_evaluate_config used = *config;
    tips_split split;
    TIPS_TRY(tips__eval_split(config, set, &split));
    r->data = tips__strdup(tips__dataset_path(set) ? tips__dataset_path(set) : "");
    if (!r->data) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    r->format = tips__dataset_format(set);
    r->split = tips__dataset_is_whole(set) ? "all" : tips__split_names[split];
    r->split_used = split;
    r->protocol = protocol;
    r->pairs = plan.pairs;
    r->seed = config->network.seed;
    r->batch = config->batch;
    r->val_is_test = tips__dataset_val_is_test(set);
    r->skipped = tips__dataset_skipped(set);
    if (!tips__metrics_need(r->models[0].figures.task, TIPS_NEEDS_SET_SHIFTS)) /* then they say nothing */
        used.set_shifts = TIPS_EVALUATE_SET, used.set_frame = TIPS_FRAME_BLACK;
    if (used.grid_images == TIPS_GRID_FEW) used.grid_images = r->models[0].shift[0].heatmap.images;
    return tips__evaluate_command(&used, &r->command);
}

void tips__evaluate_free(tips_evaluate_result *r) {
    if (!r) return;
    for (int i = 0; i < r->n_models; i++) tips__model_result_clear(&r->models[i]);
    tips__free(r->models);
    tips__free(r->data);
    tips__free(r->command);
    *r = (tips_evaluate_result){0};
}
