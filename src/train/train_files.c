/* What a run leaves in its folder: models, the log, the checkpoint. What may differ between two equal runs is under
 * "time" in the log, and nowhere else. */
#include "train/trainer_parts.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/number.h"
#include "core/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char tips__checkpoint_name[] = "checkpoint.safetensors", tips__log_name[] = "log.jsonl";
const char tips__best_name[] = "best.safetensors", tips__last_name[] = "last.safetensors";

/* "val_accuracy" and so on: the metrics that are measured there. */
static void put_metrics(tips_json *json, const trainer *t, unsigned where, const char *prefix, const double *figures) {
    const tips_task *task = tips__trainer_task(t);
    for (int i = 0; task->metrics[i].name; i++) {
        char key[96];
        snprintf(key, sizeof key, "%s_%s", prefix, task->metrics[i].name);
        if (task->metrics[i].where & where) tips__json_number(json, key, figures[i]);
    }
}

enum { OPTIMIZER_SIZE = 160 };

/* Which share of a set without validation pictures was held out, so that it is found again. */
static void put_val_split(tips_json *json, const tips_settings *settings) {
    const char *text = settings ? tips__settings_find(settings, "val-split") : NULL;
    double share;
    if (text && tips__number_parse(text, &share)) tips__json_number(json, "val_split", share);
}

/* Nothing is said of SGD: what there was before there was a choice. */
static void put_training(tips_json *json, const trainer *t, const validation *v, int epoch) {
    const tips_train_plan *plan = &t->config->plan;
    char optimizer[OPTIMIZER_SIZE];
    tips__optimizer_format(&plan->optimizer, optimizer, sizeof optimizer);
    tips__json_open_object(json, NULL);
    tips__json_int(json, "epoch", epoch);
    tips__json_int(json, "epochs", plan->schedule.epochs);
    tips__json_int(json, "steps", t->state->step);
    tips__json_int(json, "batch", plan->batch);
    if (plan->optimizer.optimizer != &tips__optimizer_sgd) tips__json_text(json, "optimizer", optimizer);
    tips__json_number(json, "lr", plan->schedule.lr);
    tips__json_int(json, "seed", (int64_t)plan->seed);
    put_val_split(json, t->config->settings);
    put_metrics(json, t, TIPS_IN_VALIDATION, "val", v->figures);
    tips__json_text(json, "val_set", t->config->val_set);
    tips__json_close_object(json);
}

static tips_status describe(const trainer *t, const validation *v, int epoch, char *out, size_t size) {
    tips_json *json;
    const char *text;
    size_t length;
    TIPS_TRY(tips__json_create(&json));
    tips__json_compact(json);
    put_training(json, t, v, epoch);
    const tips_status status = tips__json_result(json, &text, &length);
    if (status == TIPS_OK) snprintf(out, size, "%s", text);
    tips__json_destroy(json);
    return status;
}

tips_status tips__trainer_save_model(const trainer *t, const char *name, const validation *v, int epoch) {
    char path[TIPS_PATH_SIZE];
    tips_model_info info = *t->config->info; /* what it points to stays the caller's */
    TIPS_TRY(tips__path_join(t->config->folder, name, path));
    TIPS_TRY(describe(t, v, epoch, info.training, sizeof info.training));
    return tips__model_save(path, &info, t->config->params);
}

tips_status tips__trainer_save_checkpoint(trainer *t) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(t->config->folder, tips__checkpoint_name, path));
    TIPS_TRY(tips__checkpoint_save(path, t->config->params, t->state, t->config->settings));
    t->saved = omp_get_wtime();
    return TIPS_OK;
}

static tips_status fail_log(const char *path, const char *what) {
    TIPS_FAIL(TIPS_IO, "%s: %s: %s", path, what, errno ? strerror(errno) : "a write failed");
}

/* Lines written after the checkpoint are of work that will be done again. */
tips_status tips__trainer_open_log(trainer *t) {
    char path[TIPS_PATH_SIZE];
    struct stat info;
    TIPS_TRY(tips__path_join(t->config->folder, tips__log_name, path));
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return fail_log(path, "cannot be written");
    tips_status status = fstat(file, &info) == 0 ? TIPS_OK : fail_log(path, "cannot be read");
    if (status == TIPS_OK && info.st_size < t->state->log_bytes)
        status = tips__fail(TIPS_IO, "%s: is shorter than when the checkpoint was written", path);
    if (status == TIPS_OK && ftruncate(file, t->state->log_bytes) != 0) status = fail_log(path, "cannot be written");
    close(file);
    return status;
}

static void put_line(tips_json *json, const trainer *t, const double *train, const validation *v, bool improved) {
    const tips_train_state *s = t->state;
    const double seconds = omp_get_wtime() - t->epoch_began;
    tips__json_open_object(json, NULL);
    tips__json_int(json, "epoch", s->epoch + 1);
    tips__json_int(json, "step", s->step);
    tips__json_number(json, "lr", tips__schedule_lr(&t->config->plan.schedule, t->batches, (uint64_t)s->step - 1));
    tips__json_number(json, "task", s->sums.task / t->batches);
    tips__json_number(json, "loss", s->sums.total / t->batches);
    if (tips__net_has_aux(t->net)) {
        tips__json_number(json, "undo", s->sums.undo / t->batches);
        tips__json_number(json, "fm", s->sums.fm / t->batches);
    }
    if (t->undo) tips__undo_watch_put(t->undo, json);
    put_metrics(json, t, TIPS_IN_TRAINING, "train", train);
    put_metrics(json, t, TIPS_IN_VALIDATION, "val", v->figures);
    tips__json_text(json, "val_set", t->config->val_set);
    tips__json_bool(json, "best", improved);
    tips__json_open_object(json, "time");
    tips__json_number(json, "seconds", seconds);
    tips__json_number(json, "validation_seconds", t->validation_seconds);
    tips__json_number(json, "stall_seconds", tips__loader_stall(t->config->train) - t->epoch_stall);
    tips__json_close_object(json);
    tips__json_close_object(json);
}

static tips_status append(const char *path, tips_json *json, int64_t *length) {
    FILE *file = fopen(path, "ab");
    if (!file) return fail_log(path, "cannot be written");
    errno = 0;
    tips_status status = tips__json_write(json, file);
    if (status == TIPS_IO) status = fail_log(path, "could not be written");
    if (status == TIPS_OK && (fflush(file) != 0 || fsync(fileno(file)) != 0))
        status = fail_log(path, "could not be written");
    const long end = status == TIPS_OK ? ftell(file) : 0;
    fclose(file);
    if (status == TIPS_OK) *length = end;
    return status;
}

tips_status tips__trainer_log(trainer *t, const validation *v, bool improved) {
    char path[TIPS_PATH_SIZE];
    double train[TIPS_MOST_OWN_METRICS];
    tips_json *json;
    TIPS_TRY(tips__path_join(t->config->folder, tips__log_name, path));
    TIPS_TRY(tips__trainer_figures(&t->state->tally, train));
    TIPS_TRY(tips__json_create(&json));
    tips__json_compact(json);
    put_line(json, t, train, v, improved);
    const tips_status status = append(path, json, &t->state->log_bytes);
    tips__json_destroy(json);
    return status;
}
