/* The run as a whole: folder, data, network, loaders, trainer, result. */
#include "train/train_parts.h"

#include "core/fail.h"
#include "core/folder_lock.h"
#include "core/keep_input.h"
#include "core/make_folder.h"
#include "core/threads.h"
#include "model/graph_count.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static tips_status find_checkpoint(const tips_train_config *c, char path[TIPS_PATH_SIZE], bool *exists) {
    TIPS_TRY(tips__path_join(c->out, tips__checkpoint_name, path));
    *exists = access(path, F_OK) == 0;
    if (*exists && !c->resume)
        TIPS_FAIL(TIPS_INVALID, "%s holds a run already: go on with it by --resume, or choose another --out", c->out);
    return TIPS_OK;
}

/* The options of a run as its checkpoint says them, as they are now, and their defaults: an option that came after the
 * checkpoint was at its default when the run began. */
typedef struct run_settings {
    tips_settings before, after, usual;
} run_settings;

static tips_status read_settings(const tips_train_config *config, run_settings *s) {
    char path[TIPS_PATH_SIZE];
    tips_train_config usual;
    TIPS_TRY(tips__path_join(config->out, tips__checkpoint_name, path));
    TIPS_TRY(tips__checkpoint_settings(path, &s->before));
    TIPS_TRY(tips__train_spell_out(true, &s->before));
    TIPS_TRY(tips__train_settings(config, &s->after));
    TIPS_TRY(tips__options_defaults(tips__train_rows, &usual));
    return tips__settings_from_options(&s->usual, tips__train_rows, &usual, NULL);
}

/* A run goes on as it began: one option changed would make it neither the old nor a new one. */
static tips_status refuse_difference(const run_settings *s, const char *folder) {
    const char *name = tips__settings_difference(&s->before, &s->after, &s->usual);
    if (!name) return TIPS_OK;
    const char *then = tips__settings_find_or(&s->before, &s->usual, name);
    const char *now = tips__settings_find_or(&s->after, &s->usual, name);
    TIPS_FAIL(TIPS_INVALID, "--%s was %s when the run in %s began and is %s now; a run goes on as it began", name,
              then ? then : "not given", folder, now ? now : "not given");
}

tips_status tips__train_check_settings(const tips_train_config *config) {
    run_settings s = {0};
    tips_status status = read_settings(config, &s);
    if (status == TIPS_OK) status = refuse_difference(&s, config->out);
    tips__settings_clear(&s.before);
    tips__settings_clear(&s.after);
    tips__settings_clear(&s.usual);
    return status;
}

static tips_status open_data(train_setup *s) {
    const tips_train_config *c = s->config;
    const tips_dataset_options options = {.train_limit = c->train_limit,
                                          .classes_limit = c->classes_limit,
                                          .val_split = c->val_split,
                                          .val_is_test = c->val_set == TIPS_VAL_TEST,
                                          .skip_bad = c->on_bad_image == TIPS_BAD_SKIP,
                                          .seed = (uint64_t)c->model.seed};
    TIPS_TRY(tips__dataset_open(c->data, &options, &s->set));
    const int count = tips__dataset_count(s->set, TIPS_SPLIT_TRAIN);
    if (count < 1) TIPS_FAIL(TIPS_INVALID, "%s has no training pictures", tips__dataset_path(s->set));
    if (tips__dataset_count(s->set, TIPS_SPLIT_VAL) < 1)
        TIPS_FAIL(TIPS_FORMAT, "%s has no validation data, and no class with a second picture to hold out",
                  tips__dataset_path(s->set));
    s->batch = c->batch < count ? c->batch : count;
    return TIPS_OK;
}

static tips_status make_target(const void *context, const tips_annotation *annotation, const tips_move *move,
                               tips_bytes *target) {
    const tips_assignment *a = context;
    return a->spec.task->target(a, annotation, move, target);
}

static tips_status make_loaders(train_setup *s) {
    const tips_train_config *c = s->config;
    const tips_task *task = s->info.task.task;
    tips_loader_config l = {.set = s->set,
                            .split = TIPS_SPLIT_TRAIN,
                            .preprocess = s->preprocess,
                            .augment = c->augment,
                            .maker = {task->needs, make_target, &s->model.assignment},
                            .views = task->views,
                            .batch = s->batch,
                            .shuffle = true,
                            .drop_last = true,
                            .seed = (uint64_t)c->model.seed,
                            .workers = c->workers};
    TIPS_TRY(tips__loader_create(&l, &s->train));
    l.split = TIPS_SPLIT_VAL;
    l.augment = (tips_augment){0};
    l.views = 1;
    l.shuffle = l.drop_last = false;
    return tips__loader_create(&l, &s->val);
}

static const char *val_set_of(const train_setup *s) { return tips__dataset_val_is_test(s->set) ? "test" : "val"; }

static tips_status train(const train_setup *s, const tips_train_watch *watch, tips_train_state *state) {
    const tips_train_config *c = s->config;
    tips_trainer_config t = {.plan = {.schedule = c->schedule,
                                      .batch = s->batch,
                                      .optimizer = s->optimizer,
                                      .momentum = c->momentum,
                                      .weight_decay = c->weight_decay,
                                      .spare_vectors = c->exempt_norms,
                                      .alpha = c->alpha,
                                      .eps = c->eps,
                                      .relative_undo = c->undo_scale == TIPS_UNDO_VARIANCE,
                                      .clip = c->clip,
                                      .ema = c->ema,
                                      .patience = c->patience,
                                      .mixing = c->mixing,
                                      .seed = (uint64_t)c->model.seed,
                                      .save_seconds = 60 * c->save_every,
                                      .undo_pictures = c->watch_undo},
                             .model = &s->model,
                             .params = s->params,
                             .info = &s->info,
                             .train = s->train,
                             .val = s->val,
                             .val_set = val_set_of(s),
                             .folder = c->out,
                             .settings = &s->settings};
    t.plan.schedule.epochs = c->epochs;
    if (s->teacher) t.teach = tips__teacher_answer, t.teacher = s->teacher;
    if (watch) t.watch = *watch;
    return tips__train(&t, state);
}

static tips_status fill_result(const train_setup *s, const tips_train_state *state, tips_train_result *r) {
    snprintf(r->arch, sizeof r->arch, "%s", s->info.arch->name);
    tips__pool_format(&s->info.config.pool, r->pool, sizeof r->pool);
    snprintf(r->val_set, sizeof r->val_set, "%s", val_set_of(s));
    r->epochs = state->epoch;
    r->stopped_early = state->finished == 2;
    r->best_epoch = state->best_epoch;
    r->task = s->info.task.task;
    memcpy(r->best, state->best, sizeof r->best);
    memcpy(r->last, state->last, sizeof r->last);
    r->train_pictures = tips__dataset_count(s->set, TIPS_SPLIT_TRAIN);
    r->val_pictures = tips__dataset_count(s->set, TIPS_SPLIT_VAL);
    r->skipped = tips__dataset_skipped(s->set);
    r->parameters = tips__graph_parameters(s->model.graph);
    return tips__path_join(s->config->out, tips__best_name, r->best_path);
}

/* With the state at hand; the caller clears it. */
static tips_status train_from(train_setup *s, const char *checkpoint, const tips_train_watch *watch,
                              tips_train_state *state, tips_train_result *result) {
    if (checkpoint) TIPS_TRY(tips__checkpoint_load(checkpoint, s->params, state));
    if (s->config->teacher) TIPS_TRY(tips__teacher_open(s, &s->teacher));
    tips__train_warn_of_guesses(s, watch);
    TIPS_TRY(make_loaders(s));
    TIPS_TRY(tips__make_folder(s->config->out));
    if (!checkpoint) TIPS_TRY(tips__train_write_config(s));
    curves_watch curves = {.folder = s->config->out,
                           .task = s->info.task.task,
                           .note = result->curves_note,
                           .size = sizeof result->curves_note};
    if (watch) curves.inner = *watch;
    const tips_train_watch drawing = tips__train_watch_curves(&curves);
    TIPS_TRY(train(s, &drawing, state));
    tips__train_finish_curves(&curves);
    result->resumed = checkpoint != NULL;
    return fill_result(s, state, result);
}

static tips_status find_start(train_setup *s) {
    if (s->start || !s->config->init) return TIPS_OK;
    TIPS_TRY(tips__train_start_read(s->config->init, &s->own_start));
    s->start = &s->own_start;
    return TIPS_OK;
}

static tips_status keep_inputs(const tips_train_config *c) {
    const char *const inputs[] = {c->init, c->weights, c->teacher};
    const char *const outputs[] = {tips__best_name, tips__last_name, tips__checkpoint_name, tips__config_name,
                                   tips__log_name};
    for (size_t o = 0; o < sizeof outputs / sizeof outputs[0]; o++) {
        char path[TIPS_PATH_SIZE];
        TIPS_TRY(tips__path_join(c->out, outputs[o], path));
        for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) TIPS_TRY(tips__keep_input(inputs[i], path));
    }
    return TIPS_OK;
}

static tips_status run(train_setup *s, const tips_train_watch *watch, tips_train_result *result) {
    char checkpoint[TIPS_PATH_SIZE];
    bool goes_on;
    TIPS_TRY(find_checkpoint(s->config, checkpoint, &goes_on));
    TIPS_TRY(keep_inputs(s->config));
    TIPS_TRY(tips__train_optimizer(s->config, &s->optimizer));
    TIPS_TRY(tips__train_settings(s->config, &s->settings));
    if (goes_on) TIPS_TRY(tips__train_check_settings(s->config));
    if (goes_on) TIPS_TRY(tips__train_machine_of(checkpoint, s->config->model.threads, watch));
    TIPS_TRY(open_data(s));
    TIPS_TRY(find_start(s));
    TIPS_TRY(tips__train_shape(s));
    TIPS_TRY(tips__train_build(s, !goes_on));
    tips_train_state state = tips__train_state_new(&s->model.assignment);
    const tips_status status = train_from(s, goes_on ? checkpoint : NULL, watch, &state, result);
    tips__train_state_clear(&state);
    return status;
}

tips_status tips__train_run(const tips_train_config *config, const tips_train_watch *watch, tips_train_result *out) {
    return tips__train_run_from(config, NULL, watch, out);
}

tips_status tips__train_run_from(const tips_train_config *config, const tips_train_start *start,
                                 const tips_train_watch *watch, tips_train_result *out) {
    tips_folder_lock *lock;
    if (!config->out || !*config->out) TIPS_FAIL(TIPS_INVALID, "say where the models go: --out DIR");
    TIPS_TRY(tips__folder_lock(config->out, tips__run_lock_name, &lock));
    const tips_status status = tips__train_run_held(config, start, watch, out);
    tips__folder_unlock(lock);
    return status;
}

tips_status tips__train_run_held(const tips_train_config *config, const tips_train_start *start,
                                 const tips_train_watch *watch, tips_train_result *out) {
    train_setup s = {.config = config, .start = start};
    tips_train_result result = {.seconds = -omp_get_wtime()};
    tips__threads_use(config->model.threads);
    tips__model_info_init(&s.info);
    const int threads = tips__threads();
    const tips_status status = run(&s, watch, &result);
    if (tips__threads() != threads) tips__threads_set(threads); /* a run that went on had its own number */
    tips__loader_destroy(s.train);
    tips__loader_destroy(s.val);
    tips__teacher_close(s.teacher);
    tips__params_destroy(s.params);
    if (s.model.graph) tips__model_destroy(&s.model);
    tips__model_info_clear(&s.info);
    tips__train_start_clear(&s.own_start);
    tips__dataset_close(s.set);
    tips__settings_clear(&s.settings);
    result.seconds += omp_get_wtime();
    if (status == TIPS_OK) *out = result;
    return status;
}
