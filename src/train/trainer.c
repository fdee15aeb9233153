/* The loop: steps, epochs, when to save and when to stop. */
#include "train/trainer_parts.h"

#include "core/fail.h"
#include "core/make_folder.h"
#include "core/memory.h"
#include "core/threads.h"
#include "optimizer/average.h"
#include "optimizer/gradient_norm.h"

#include <math.h>
#include <string.h>

enum { STREAM_MIXING = 0x4d49 };

static const tips_train_plan *plan_of(const trainer *t) { return &t->config->plan; }

static tips_losses mean_losses(const tips_train_state *s) {
    const double n = s->batch > 0 ? s->batch : 1;
    return (tips_losses){s->sums.total / n, s->sums.task / n, s->sums.undo / n, s->sums.fm / n};
}

static double seconds_left(const trainer *t, double now) {
    const double steps = (double)(t->state->step - t->first_step);
    const double left = (double)plan_of(t)->schedule.epochs * t->batches - (double)t->state->step;
    return steps > 0 ? left * (now - t->began) / steps : 0;
}

void tips__trainer_tell(const trainer *t, tips_train_progress p) {
    const tips_train_watch *w = &t->config->watch;
    if (!w->progress) return;
    const tips_train_state *s = t->state;
    const double now = omp_get_wtime();
    p.epoch = s->epoch + 1;
    p.epochs = plan_of(t)->schedule.epochs;
    if (!p.validating) p.batch = s->batch, p.batches = t->batches;
    p.has_aux = tips__net_has_aux(t->net);
    p.losses = mean_losses(s);
    p.task = tips__trainer_task(t);
    p.lr = t->lr;
    p.images_per_second = (double)(s->step - t->first_step) * plan_of(t)->batch / fmax(now - t->began, 1e-9);
    p.seconds_left = seconds_left(t, now);
    w->progress(w->context, &p);
}

bool tips__trainer_is_stopped(const trainer *t) {
    const tips_train_watch *w = &t->config->watch;
    return w->stop && w->stop(w->context);
}

static tips_status interrupted(trainer *t) {
    TIPS_TRY(tips__trainer_save_checkpoint(t));
    TIPS_FAIL(TIPS_INTERRUPTED, "interrupted in epoch %d after step %lld; --resume goes on from there",
              t->state->epoch + 1, (long long)t->state->step);
}

/* With room for rounding: 0.07 of 100 epochs are 7. */
static bool after_eps(const trainer *t) {
    return t->state->epoch >= plan_of(t)->eps * plan_of(t)->schedule.epochs - 1e-9;
}

static tips_status broken_gradient(const trainer *t) {
    const int id = tips__gradient_broken(t->config->params);
    TIPS_FAIL(TIPS_NUMERIC, "step %lld: the gradient of '%s' is not a finite number; a smaller --lr or --clip may help",
              (long long)t->state->step + 1,
              id < 0 ? "the network" : tips__graph_param(t->config->params->graph, id)->name);
}

static tips_status update(trainer *t) {
    const tips_train_plan *p = plan_of(t);
    const double norm = tips__gradient_norm(t->config->params);
    if (!isfinite(norm)) return broken_gradient(t);
    if (p->clip > 0 && norm > p->clip) tips__gradient_scale(t->config->params, p->clip / norm);
    const tips_learning learning = {.lr = t->lr,
                                    .momentum = p->momentum,
                                    .weight_decay = p->weight_decay,
                                    .spare_vectors = p->spare_vectors,
                                    .step = (uint64_t)t->state->step};
    tips__optimizer_step(&p->optimizer, t->config->params, &learning);
    if (p->ema > 0) tips__average_step(t->config->params, p->ema, (uint64_t)t->state->step);
    return TIPS_OK;
}

static tips_status count(trainer *t, const tips_batch *batch) {
    tips_train_state *s = t->state;
    const tips_losses l = tips__net_losses(t->net);
    tips_outputs outputs;
    s->sums.total += l.total;
    s->sums.task += l.task;
    s->sums.undo += l.undo;
    s->sums.fm += l.fm;
    if (!tips__trainer_task(t)->merge) return TIPS_OK; /* it would have to keep all of them */
    TIPS_TRY(tips__outputs_read(&t->outputs, t->net, batch->n, &outputs));
    for (int i = 0; i < batch->n; i++) TIPS_TRY(tips__tally_add(&s->tally, &outputs, i, &batch->targets[i]));
    return tips__tally_end_batch(&s->tally);
}

static void mix(trainer *t, const tips_batch *batch) {
    const tips_model *m = t->config->model;
    const tips_value_info *x = tips__value(m->graph, m->ends.input);
    const tips_rng rng = {plan_of(t)->seed, tips__rng_mix(STREAM_MIXING, (uint64_t)t->state->step)};
    tips__mix(&plan_of(t)->mixing, rng, (const int[]){batch->n, x->c, x->h, x->w}, batch->images, t->mixed.images,
              t->mixed.shares);
    for (int i = 0; i < batch->n; i++) t->mixed.partners[i] = tips__mixing_partner(i, batch->n);
}

static tips_status put_targets(trainer *t, const tips_batch *batch) {
    const tips_ends *ends = &t->config->model->ends;
    const tips_assignment *a = &t->config->model->assignment;
    const tips_task *task = a->spec.task;
    if (!t->mixed.images) return task->put(a, t->net, ends, batch->targets, batch->n, &t->room);
    return task->put_mixed(a, t->net, ends, batch->targets, t->mixed.partners, t->mixed.shares, batch->n, &t->room);
}

/* Batches to learn from are whole. */
static tips_status put(trainer *t, const tips_batch *batch) {
    const tips_trainer_config *c = t->config;
    if (t->mixed.images) mix(t, batch);
    const float *images = t->mixed.images ? t->mixed.images : batch->images;
    TIPS_TRY(tips__net_set_map(t->net, c->model->ends.input, images));
    TIPS_TRY(put_targets(t, batch));
    if (!c->teach) return TIPS_OK;
    TIPS_TRY(c->teach(c->teacher, images, t->taught));
    return tips__net_set_map(t->net, c->model->ends.teacher, t->taught);
}

static tips_status take_step(trainer *t, const tips_batch *batch) {
    const tips_train_plan *p = plan_of(t);
    t->lr = tips__schedule_lr(&p->schedule, t->batches, (uint64_t)t->state->step);
    tips__net_set_weights(t->net, (tips_loss_weights){1 - p->alpha, after_eps(t) ? p->alpha : 0, 1});
    tips__net_set_relative_undo(t->net, p->relative_undo);
    tips__net_set_step(t->net, (uint64_t)t->state->step);
    TIPS_TRY(put(t, batch));
    TIPS_TRY(tips__net_forward(t->net));
    if (!isfinite(tips__net_losses(t->net).total)) return tips__trainer_explain(t, t->net, "the loss");
    TIPS_TRY(count(t, batch));
    TIPS_TRY(tips__net_backward(t->net));
    TIPS_TRY(update(t));
    t->state->batch++;
    t->state->step++;
    return TIPS_OK;
}

static tips_status save_now_and_then(trainer *t) {
    const double every = plan_of(t)->save_seconds;
    if (every <= 0 || omp_get_wtime() - t->saved < every) return TIPS_OK;
    return tips__trainer_save_checkpoint(t);
}

/* Lets the loader begin with the steps from `batch` of `epoch` on, if there are any. */
static tips_status prefetch(trainer *t, int epoch, int batch) {
    if (epoch >= plan_of(t)->schedule.epochs || batch >= t->batches) return TIPS_OK;
    return tips__loader_start(t->config->train, epoch, batch);
}

/* The loader has begun with this epoch already, and begins with the next while this one is validated. */
static tips_status train_epoch(trainer *t) {
    while (t->state->batch < t->batches) {
        tips_batch batch;
        TIPS_TRY(tips__loader_next(t->config->train, &batch));
        if (batch.n == 0)
            TIPS_FAIL(TIPS_IO, "the training data ended after %d of %d batches", t->state->batch, t->batches);
        TIPS_TRY(take_step(t, &batch));
        tips__trainer_tell(t, (tips_train_progress){0});
        if (tips__trainer_is_stopped(t)) return interrupted(t);
        TIPS_TRY(save_now_and_then(t));
    }
    return prefetch(t, t->state->epoch + 1, 0);
}

/* Row 0 of the task's metrics says which model is better. Patience counts from eps N on, when the loss has its final
 * form. */
static bool judge(trainer *t, const validation *v) {
    tips_train_state *s = t->state;
    const bool is_lower = tips__trainer_task(t)->metrics[0].better == TIPS_LOWER;
    const bool improved = is_lower ? v->figures[0] < s->best[0] : v->figures[0] > s->best[0];
    memcpy(s->last, v->figures, sizeof s->last);
    if (improved) {
        memcpy(s->best, v->figures, sizeof s->best);
        s->best_epoch = s->epoch + 1;
    }
    s->waited = improved || !after_eps(t) ? 0 : s->waited + 1;
    return improved;
}

static void next_epoch(trainer *t) {
    tips_train_state *s = t->state;
    const int patience = plan_of(t)->patience;
    s->epoch++;
    s->batch = 0;
    s->sums = (tips_losses){0};
    tips__tally_reset(&s->tally);
    if (patience > 0 && s->waited >= patience) s->finished = 2;
    if (s->epoch >= plan_of(t)->schedule.epochs) s->finished = 1;
}

static tips_status tell_epoch(const trainer *t, const validation *v, bool improved) {
    tips_train_progress p = {.epoch_done = true, .improved = improved};
    memcpy(p.val, v->figures, sizeof p.val);
    TIPS_TRY(tips__trainer_figures(&t->state->tally, p.train));
    tips__trainer_tell(t, p);
    return TIPS_OK;
}

static tips_status validate_and_save(trainer *t, validation *v, bool *improved) {
    TIPS_TRY(tips__trainer_validate(t, v));
    *improved = judge(t, v);
    if (*improved) TIPS_TRY(tips__trainer_save_model(t, tips__best_name, v, t->state->epoch + 1));
    return tips__trainer_save_model(t, tips__last_name, v, t->state->epoch + 1);
}

static tips_status look_at_undo(trainer *t) {
    const tips_train_plan *p = plan_of(t);
    char folder[TIPS_PATH_SIZE];
    if (!t->undo) return TIPS_OK;
    TIPS_TRY(tips__path_join(t->config->folder, "undo", folder));
    const bool draws = tips__undo_draws(t->state->epoch, p->schedule.epochs, p->eps);
    if (draws) TIPS_TRY(tips__make_folder(folder));
    return tips__undo_watch_look(t->undo, draws ? folder : NULL, t->state->epoch + 1);
}

/* The checkpoint comes last: until it is there, a new start repeats this epoch's end and writes the same again. */
static tips_status end_epoch(trainer *t) {
    const bool averages = plan_of(t)->ema > 0;
    validation v;
    bool improved = false;
    if (averages) tips__average_exchange(t->config->params);
    const tips_status status = validate_and_save(t, &v, &improved);
    if (averages) tips__average_exchange(t->config->params);
    if (status == TIPS_INTERRUPTED) return interrupted(t);
    TIPS_TRY(status);
    TIPS_TRY(look_at_undo(t));
    TIPS_TRY(tips__trainer_log(t, &v, improved));
    TIPS_TRY(tell_epoch(t, &v, improved));
    next_epoch(t);
    return tips__trainer_save_checkpoint(t);
}

static tips_status check_batches(const trainer *t) {
    const tips_train_state *s = t->state;
    if (t->batches < 1)
        TIPS_FAIL(TIPS_INVALID, "there are fewer training pictures than the %d of a batch", plan_of(t)->batch);
    if (s->batches != 0 && s->batches != t->batches)
        TIPS_FAIL(TIPS_INVALID, "an epoch had %d batches when the run began and has %d now: the data have changed",
                  s->batches, t->batches);
    return TIPS_OK;
}

static tips_status make_room_to_mix(trainer *t, int samples) {
    const tips_model *m = t->config->model;
    const tips_value_info *x = tips__value(m->graph, m->ends.input);
    const size_t n = (size_t)samples, picture = (size_t)x->c * (size_t)x->h * (size_t)x->w;
    if (!tips__mixing_is_on(&plan_of(t)->mixing)) return TIPS_OK;
    TIPS_TRY(tips__new(&t->mixed.images, n * picture * sizeof *t->mixed.images, "mixed pictures"));
    TIPS_TRY(tips__new(&t->mixed.shares, n * sizeof *t->mixed.shares, "mixed pictures"));
    return tips__new(&t->mixed.partners, n * sizeof *t->mixed.partners, "mixed pictures");
}

static tips_status prepare(trainer *t) {
    const tips_trainer_config *c = t->config;
    const int views = tips__trainer_task(t)->views, samples = c->plan.batch * (views > 1 ? views : 1);
    const tips_net_options train = {
        .n = samples, .pass = tips__task_training(tips__trainer_task(t)), .seed = c->plan.seed};
    t->batches = tips__loader_batches(c->train);
    TIPS_TRY(check_batches(t));
    t->state->batches = t->batches;
    TIPS_TRY(prefetch(t, t->state->epoch, t->state->batch));
    TIPS_TRY(tips__net_compile(c->model->graph, c->params, &train, &t->net));
    TIPS_TRY(tips__answerer_create(c->model, c->params, c->plan.batch, TIPS_ALGORITHM_FAST, &t->validator));
    TIPS_TRY(tips__output_room_create(c->model, samples, &t->outputs));
    TIPS_TRY(make_room_to_mix(t, samples));
    if (c->plan.undo_pictures > 0)
        TIPS_TRY(tips__undo_watch_create(c->model, c->params, c->val, c->plan.undo_pictures, &t->undo));
    return tips__new_zero(&t->taught, (size_t)samples * t->outputs.sizes[0] * sizeof *t->taught, "a teacher's output");
}

static tips_status run(trainer *t) {
    TIPS_TRY(prepare(t));
    TIPS_TRY(tips__trainer_open_log(t));
    if (t->state->step == 0 && plan_of(t)->ema > 0) tips__average_start(t->config->params);
    if (t->state->step == 0) TIPS_TRY(tips__trainer_save_checkpoint(t));
    t->began = t->saved = omp_get_wtime();
    t->first_step = t->state->step;
    while (!t->state->finished) {
        t->epoch_began = omp_get_wtime();
        t->epoch_stall = tips__loader_stall(t->config->train);
        TIPS_TRY(train_epoch(t));
        TIPS_TRY(end_epoch(t));
    }
    return TIPS_OK;
}

tips_status tips__train(const tips_trainer_config *config, tips_train_state *state) {
    if (state->finished) return TIPS_OK;
    trainer t = {.config = config, .state = state};
    const tips_status status = run(&t);
    tips__net_destroy(t.net);
    tips__answerer_destroy(t.validator);
    tips__output_room_destroy(&t.outputs);
    tips__bytes_clear(&t.room);
    tips__undo_watch_destroy(t.undo);
    tips__free(t.taught);
    tips__free(t.mixed.images);
    tips__free(t.mixed.shares);
    tips__free(t.mixed.partners);
    return status;
}
