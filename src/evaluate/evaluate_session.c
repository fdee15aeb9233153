/* One model on one dataset: the networks, the buffers, and pictures decoded chunk by chunk. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "image/planes.h"

#include <string.h>

enum { MOST_ANSWERS = 1 << 22 }; /* kept at a time */

static size_t pixels(const eval_session *s, const int size[2]) {
    return (size_t)size[0] * (size_t)size[1] * (size_t)s->model->preprocess.channels;
}

bool tips__evaluate_has_full_grid(const tips_evaluate_config *config) {
    return config->full_grid || tips__shift_protocols[config->protocol].full_grid;
}

tips_status tips__evaluate_check_grid(const tips_evaluate_config *config) {
    const int given = config->grid_images;
    if (given <= 0 || given == TIPS_EVALUATE_GRID || !tips__evaluate_has_full_grid(config)) return TIPS_OK;
    TIPS_FAIL(
        TIPS_INVALID,
        "--grid-images %d: with %s%s the grid is of all pictures; --limit takes fewer, --grid-images 0 leaves it out",
        given, config->full_grid ? "--full-grid" : "--protocol ",
        config->full_grid ? "" : tips__protocol_names[config->protocol]);
}

/* The heat map's shifts: the protocol's, or every circular one, then of all pictures. */
static void set_grid(eval_session *s) {
    const bool full = tips__evaluate_has_full_grid(s->config);
    const int wanted = s->config->grid_images == TIPS_GRID_FEW ? s->images : s->config->grid_images;
    s->grid_images = wanted < s->images && !full ? wanted : s->images;
    if (wanted == 0) s->grid_images = 0;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) s->grid[kind] = s->plan.range[kind];
    if (full) s->grid[TIPS_CIRCULAR] = (tips_shift_range){.high = {s->plan.size[0] - 1, s->plan.size[1] - 1}};
}

/* Called with the layout of pictures that have a heat map. */
static void choose_grid(eval_session *s) {
    const double others = (double)s->images * s->layout.usual, one = s->layout.total - s->layout.usual;
    const double room = others / 3 / one;
    s->grid_images = room < s->images ? (int)room : s->images;
    if (s->grid_images > TIPS_EVALUATE_GRID) s->grid_images = TIPS_EVALUATE_GRID;
    if (s->grid_images == 0) s->layout = tips__eval_layout(s);
}

static tips_status compile(eval_session *s) {
    const tips_arch_config *c = &s->model->info.config;
    TIPS_TRY(
        tips__answerer_create(&s->model->model, s->model->params, s->config->batch, TIPS_ALGORITHM_AUTO, &s->answerer));
    if (!s->config->msb) return TIPS_OK;
    /* Every map of a large picture stays: one at a time is enough, and too few for the fast convolutions to pay. */
    s->kept_batch = c->size[0] > 64 || c->size[1] > 64 || s->config->batch < 8 ? 1 : 8;
    const tips_net_options options = {.n = s->kept_batch, .keep_all = true, .algorithm = TIPS_ALGORITHM_EXACT};
    TIPS_TRY(tips__new_zero(&s->kept_input, (size_t)s->kept_batch * pixels(s, s->plan.size) * sizeof *s->kept_input,
                            "the network's input"));
    TIPS_TRY(tips__net_compile(s->model->model.graph, s->model->params, &options, &s->kept_net));
    return tips__msb_layers(s->model->model.graph, &s->msb_layers, &s->n_msb_layers);
}

static tips_status allocate_chunk(eval_session *s) {
    eval_chunk *c = &s->chunk;
    const size_t n = (size_t)s->chunk_size, batch = (size_t)s->config->batch, small = pixels(s, s->plan.size);
    TIPS_TRY(tips__new(&c->index, n * sizeof *c->index, "the pictures' numbers"));
    TIPS_TRY(tips__new_zero(&c->target, n * sizeof *c->target, "the targets"));
    TIPS_TRY(tips__new(&c->status, n * sizeof *c->status, "the pictures' states"));
    TIPS_TRY(tips__new(&c->canvas, n * small, "the pictures"));
    if (s->config->change) return tips__new(&c->planes, n * small * sizeof *c->planes, "the changed pictures");
    if (tips__eval_has_frame(s)) {
        TIPS_TRY(tips__new_zero(&c->framed_target, n * sizeof *c->framed_target, "the targets"));
        TIPS_TRY(tips__new(&c->framed, n * small, "the pictures"));
    }
    if (!tips__plan_has_canvas(&s->plan)) return TIPS_OK;
    TIPS_TRY(tips__new(&c->window, batch * small, "windows of the pictures"));
    return tips__new(&c->large, n * pixels(s, s->plan.canvas), "the pictures' canvases");
}

static tips_status allocate_counts(eval_session *s) {
    eval_counts *c = &s->counts;
    const size_t n = (size_t)s->images;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        TIPS_TRY(tips__new_zero(&c->pairs[kind], n * sizeof *c->pairs[kind], "the counts of pairs"));
        TIPS_TRY(tips__new_zero(&c->levels[kind], n * (size_t)s->layout.level_views[kind] * sizeof *c->levels[kind],
                                "the counts of sizes"));
        if (s->grid_images == 0) continue;
        TIPS_TRY(tips__new(&c->worst[kind], (size_t)s->grid_images * sizeof *c->worst[kind], "the worst cases"));
        TIPS_TRY(tips__heatmap_create(&s->grid[kind], &c->heatmap[kind]));
    }
    TIPS_TRY(tips__new(&c->answers, n * sizeof *c->answers, "the answers"));
    TIPS_TRY(tips__new(&c->labels, n * sizeof *c->labels, "the labels"));
    return tips__new_zero(&c->msb, n * (size_t)s->n_msb_layers * sizeof *c->msb, "the counts of windows");
}

/* A batch of pictures fills every batch of views; fewer where a picture has very many. */
static int chunk_size_of(const eval_session *s) {
    const int most = MOST_ANSWERS / s->layout.total;
    if (most < 1) return 1;
    return most < s->config->batch ? most : s->config->batch;
}

tips_status tips__eval_session_create(eval_session *s) {
    const tips_arch_config *network = &s->model->info.config;
    s->task = s->model->info.task.task;
    s->counts.tally = (tips_tally){.assignment = &s->model->model.assignment, .keep = true};
    TIPS_TRY(tips__dataset_require(s->set, s->task->needs));
    TIPS_TRY(tips__eval_match_classes(s));
    TIPS_TRY(tips__eval_name_outputs(s));
    s->plan = tips__shift_plan(tips__shift_protocol_for(s->config->protocol, s->task->protocol), network->size,
                               s->config->pairs, (uint64_t)s->config->network.seed);
    set_grid(s);
    s->set_range = (tips_shift_range){.high = {s->config->set_shifts - 1, s->config->set_shifts - 1}};
    s->layout = tips__eval_layout(s);
    TIPS_TRY(tips__eval_check_sets(s));
    if (s->config->grid_images == TIPS_GRID_FEW) choose_grid(s);
    s->chunk_size = chunk_size_of(s);
    s->passes = (double)s->images * s->layout.usual + (double)s->grid_images * (s->layout.total - s->layout.usual);
    TIPS_TRY(allocate_chunk(s));
    TIPS_TRY(compile(s));
    return allocate_counts(s);
}

static void clear_chunk(eval_chunk *c, int size) {
    for (int i = 0; c->target && i < size; i++) tips__bytes_clear(&c->target[i]);
    for (int i = 0; c->framed_target && i < size; i++) tips__bytes_clear(&c->framed_target[i]);
    tips__bytes_clear(&c->answer);
    tips__pile_clear(&c->answers);
    void *const buffers[] = {c->index, c->target, c->framed_target, c->status, c->canvas,
                             c->large, c->framed, c->window,        c->planes};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) tips__free(buffers[i]);
}

static void clear_counts(eval_counts *c) {
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        tips__free(c->pairs[kind]);
        tips__free(c->levels[kind]);
        tips__free(c->worst[kind]);
        tips__pile_clear(&c->sets[kind]);
        tips__heatmap_clear(&c->heatmap[kind]);
    }
    tips__tally_clear(&c->tally);
    tips__pile_clear(&c->firsts);
    tips__free(c->answers);
    tips__free(c->labels);
    tips__free(c->msb);
}

void tips__eval_session_destroy(eval_session *s) {
    clear_chunk(&s->chunk, s->chunk_size);
    clear_counts(&s->counts);
    tips__free(s->msb_layers);
    tips__free(s->kept_input);
    tips__eval_forget_names(s);
    tips__answerer_destroy(s->answerer);
    tips__net_destroy(s->kept_net);
}

/* The protocol's canvas: larger, and filled by the picture unless small pictures stay as they are. */
static tips_preprocess larger(const eval_session *s) {
    tips_preprocess p = s->model->preprocess;
    p.height = s->plan.canvas[0];
    p.width = s->plan.canvas[1];
    p.resize = 0;
    return p;
}

static tips_status make_canvases(eval_session *s, const tips_image *picture, int slot) {
    eval_chunk *c = &s->chunk;
    const tips_preprocess p = larger(s);
    TIPS_TRY(
        tips__preprocess_canvas(&s->model->preprocess, picture, c->canvas + (size_t)slot * pixels(s, s->plan.size)));
    if (c->framed) TIPS_TRY(tips__eval_frame(s, picture, c->framed + (size_t)slot * pixels(s, s->plan.size)));
    if (!c->large) return TIPS_OK;
    return tips__preprocess_canvas(&p, picture, c->large + (size_t)slot * pixels(s, s->plan.canvas));
}

/* In the classes of the model, on the unshifted input. */
static tips_status make_target(eval_session *s, tips_annotation *annotation, int slot) {
    const tips_assignment *a = &s->model->model.assignment;
    const tips_move move = tips__preprocess_move(&s->model->preprocess, annotation->size);
    if (s->task->needs & TIPS_ANNOTATES_MASK) tips__annotation_revalue(annotation, s->outputs);
    else tips__annotation_rename(annotation, s->outputs);
    TIPS_TRY(s->task->target(a, annotation, &move, &s->chunk.target[slot]));
    if (!s->chunk.framed_target) return TIPS_OK;
    const tips_preprocess smaller = tips__eval_smaller(s);
    const tips_move framed = tips__preprocess_move(&smaller, annotation->size);
    return s->task->target(a, annotation, &framed, &s->chunk.framed_target[slot]);
}

static tips_status decode(eval_session *s, int index, int slot) {
    tips_annotation annotation;
    tips_image picture;
    TIPS_TRY(tips__dataset_read_annotated(s->set, s->split, index, s->task->needs, &picture, &annotation));
    tips_status status = make_target(s, &annotation, slot);
    if (status == TIPS_OK) status = make_canvases(s, &picture, slot);
    tips__annotation_clear(&annotation);
    tips__image_free(&picture);
    return status;
}

static tips_status decode_for(const tips_allocator *allocator, eval_session *s, int index, int slot) {
    const tips_allocator *before = tips_use_allocator(allocator);
    const tips_status status = decode(s, index, slot);
    tips_use_allocator(before);
    return status;
}

/* The memory of the other goes on being used. */
static void swap_bytes(tips_bytes *a, tips_bytes *b) {
    const tips_bytes kept = *a;
    *a = *b;
    *b = kept;
}

static void move_slot(eval_session *s, int to, int from) {
    eval_chunk *c = &s->chunk;
    const size_t small = pixels(s, s->plan.size), large = pixels(s, s->plan.canvas);
    if (to == from) return;
    c->index[to] = c->index[from];
    swap_bytes(&c->target[to], &c->target[from]);
    if (c->framed_target) swap_bytes(&c->framed_target[to], &c->framed_target[from]);
    if (c->framed) memcpy(c->framed + (size_t)to * small, c->framed + (size_t)from * small, small);
    memcpy(c->canvas + (size_t)to * small, c->canvas + (size_t)from * small, small);
    if (c->large) memcpy(c->large + (size_t)to * large, c->large + (size_t)from * large, large);
}

static tips_status change_chunk(eval_session *s) {
    const eval_chunk *c = &s->chunk;
    const tips_picture_change *change = s->config->change;
    const tips_changed_pictures pictures = {c->count, c->index, c->target, c->planes};
    if (!change || c->count == 0) return TIPS_OK;
    TIPS_PARALLEL_FOR (i, c->count) {
        const size_t small = pixels(s, s->plan.size);
        tips__canvas_to_planes(&s->model->preprocess, c->canvas + (size_t)i * small, c->planes + (size_t)i * small);
    }
    return change->apply(change->context, &pictures);
}

/* Errors are told per thread: a picture that failed elsewhere is read again here, for its text. */
tips_status tips__eval_load_chunk(eval_session *s, int first, int count) {
    eval_chunk *c = &s->chunk;
    const tips_allocator *allocator = tips__allocator();
    const int64_t all = tips__dataset_count(s->set, s->split);
    const bool skips = s->config->on_bad_image == TIPS_BAD_SKIP;
    for (int i = 0; i < count; i++) c->index[i] = (int)((int64_t)(first + i) * all / s->images);
    TIPS_PARALLEL_FOR (i, count) c->status[i] = decode_for(allocator, s, c->index[i], i);
    c->count = 0;
    for (int i = 0; i < count; i++) {
        const tips_status was = c->status[i];
        if (skips && (was == TIPS_IO || was == TIPS_FORMAT)) continue;
        if (was != TIPS_OK) TIPS_TRY(decode(s, c->index[i], i));
        move_slot(s, c->count++, i);
    }
    return change_chunk(s);
}
