/* The loop: steps, epochs, when to save and when to stop. */
#include "train/trainer_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>

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
    p.accuracy = s->seen ? (double)s->correct / (double)s->seen : 0;
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
    const tips_sgd sgd = {
        .lr = t->lr, .momentum = p->momentum, .weight_decay = p->weight_decay, .spare_vectors = p->spare_vectors};
    tips__sgd_step(t->config->params, &sgd);
    return TIPS_OK;
}

static void count(trainer *t, int n, const int32_t *labels) {
    tips_train_state *s = t->state;
    const tips_losses l = tips__net_losses(t->net);
    s->sums.total += l.total;
    s->sums.task += l.task;
    s->sums.undo += l.undo;
    s->sums.fm += l.fm;
    s->correct += tips__trainer_correct(t, n, labels);
    s->seen += n;
    s->batch++;
    s->step++;
}

/* Batches to learn from are whole. */
static tips_status ask_teacher(trainer *t, const float *images) {
    const tips_trainer_config *c = t->config;
    if (!c->teach) return TIPS_OK;
    TIPS_TRY(c->teach(c->teacher, images, t->logits));
    return tips__net_set_map(t->net, c->model->ends.teacher, t->logits);
}

static tips_status take_step(trainer *t, int n, const float *images, const int32_t *labels) {
    const tips_train_plan *p = plan_of(t);
    t->lr = tips__schedule_lr(&p->schedule, t->batches, (uint64_t)t->state->step);
    tips__net_set_weights(t->net, (tips_loss_weights){1 - p->alpha, after_eps(t) ? p->alpha : 0, 1});
    tips__net_set_step(t->net, (uint64_t)t->state->step);
    TIPS_TRY(tips__trainer_put(t, t->net, n, images, labels));
    TIPS_TRY(ask_teacher(t, images));
    TIPS_TRY(tips__net_forward(t->net));
    if (!isfinite(tips__net_losses(t->net).total)) return tips__trainer_explain(t, t->net, "the loss");
    TIPS_TRY(tips__net_get_map(t->net, t->config->model->ends.outputs[0], t->logits));
    TIPS_TRY(tips__net_backward(t->net));
    TIPS_TRY(update(t));
    count(t, n, labels);
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
        const float *images;
        const int32_t *labels;
        int n;
        TIPS_TRY(tips__loader_next(t->config->train, &n, &images, &labels));
        if (n == 0) TIPS_FAIL(TIPS_IO, "the training data ended after %d of %d batches", t->state->batch, t->batches);
        TIPS_TRY(take_step(t, n, images, labels));
        tips__trainer_tell(t, (tips_train_progress){0});
        if (tips__trainer_is_stopped(t)) return interrupted(t);
        TIPS_TRY(save_now_and_then(t));
    }
    return prefetch(t, t->state->epoch + 1, 0);
}

/* Patience counts from eps N on, when the loss has its final form. */
static bool judge(trainer *t, const validation *v) {
    tips_train_state *s = t->state;
    const bool improved = v->loss < s->best_loss;
    s->last_loss = v->loss;
    s->last_accuracy = v->accuracy;
    if (improved) {
        s->best_loss = v->loss;
        s->best_accuracy = v->accuracy;
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
    s->correct = s->seen = 0;
    if (patience > 0 && s->waited >= patience) s->finished = 2;
    if (s->epoch >= plan_of(t)->schedule.epochs) s->finished = 1;
}

/* The checkpoint comes last: until it is there, a new start repeats this epoch's end and writes the same again. */
static tips_status end_epoch(trainer *t) {
    validation v;
    const tips_status status = tips__trainer_validate(t, &v);
    if (status == TIPS_INTERRUPTED) return interrupted(t);
    TIPS_TRY(status);
    const bool improved = judge(t, &v);
    if (improved) TIPS_TRY(tips__trainer_save_model(t, tips__best_name, &v, t->state->epoch + 1));
    TIPS_TRY(tips__trainer_save_model(t, tips__last_name, &v, t->state->epoch + 1));
    TIPS_TRY(tips__trainer_log(t, &v, improved));
    tips__trainer_tell(t,
                       (tips_train_progress){
                           .epoch_done = true, .val_loss = v.loss, .val_accuracy = v.accuracy, .improved = improved});
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

static tips_status prepare(trainer *t) {
    const tips_trainer_config *c = t->config;
    const tips_value_info *in = tips__value(c->model->graph, c->model->ends.input);
    const size_t n = (size_t)c->plan.batch, pixels = (size_t)in->c * (size_t)in->h * (size_t)in->w;
    const tips_net_options train = {.n = c->plan.batch, .training = true, .seed = c->plan.seed};
    const tips_net_options val = {.n = c->plan.batch, .algorithm = TIPS_ALGORITHM_FAST, .seed = c->plan.seed};
    t->batches = tips__loader_batches(c->train);
    TIPS_TRY(check_batches(t));
    t->state->batches = t->batches;
    TIPS_TRY(prefetch(t, t->state->epoch, t->state->batch));
    TIPS_TRY(tips__net_compile(c->model->graph, c->params, &train, &t->net));
    TIPS_TRY(tips__net_compile(c->model->graph, c->params, &val, &t->val_net));
    TIPS_TRY(tips__new(&t->images, n * pixels * sizeof *t->images, "a batch of images"));
    TIPS_TRY(tips__new(&t->labels, n * sizeof *t->labels, "labels"));
    return tips__new_zero(&t->logits, n * (size_t)c->info->config.classes * sizeof *t->logits, "logits");
}

static tips_status run(trainer *t) {
    TIPS_TRY(prepare(t));
    TIPS_TRY(tips__trainer_open_log(t));
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
    tips__net_destroy(t.val_net);
    tips__free(t.logits);
    tips__free(t.images);
    tips__free(t.labels);
    return status;
}
