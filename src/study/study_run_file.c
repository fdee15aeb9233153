/* result.json: what came of a run. */
#include "study/study_run_parts.h"

#include "core/atomic_file.h"
#include "core/fail.h"
#include "core/json_read.h"
#include "core/memory.h"
#include "core/number.h"
#include "evaluate/evaluate_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 65536, KEY_SIZE = 64 };

/* What a report shows of every evaluation, with a heat map or without. */
static bool is_kept(const tips_metric *metric) { return metric->title && metric->need != TIPS_NEEDS_HEATMAP; }

static void name_validation(const tips_metric *task, char *out) {
    snprintf(out, KEY_SIZE, "val_%s", task[tips__metric_main(task)].name);
}

void tips__run_put_values(tips_json *json, const tips_metric *task, const double *values) {
    const tips_metric *metric;
    char key[KEY_SIZE];
    for (int i = 0; (metric = tips__metric_at(task, i)); i++)
        if (is_kept(metric)) tips__json_number(json, metric->name, values[i]);
    name_validation(task, key);
    tips__json_number(json, key, values[TIPS_RUN_VALIDATION]);
}

static const char margin_key[] = "margin"; /* an object of what is known */
static const char changed_key[] = "attack";
static const char pictures_key[] = "pictures", chosen_key[] = "chosen_on";
static const char evaluation_key[] = "evaluation_seconds";

void tips__run_put(tips_json *json, const tips_run *run) {
    const tips_metric *metric;
    tips__json_text(json, "pool", run->train.model.pool);
    tips__json_int(json, "seed", run->train.model.seed);
    tips__json_int(json, "images", run->images);
    if (run->pictures[0]) tips__json_text(json, pictures_key, run->pictures);
    tips__json_bool(json, chosen_key, run->chosen_on);
    tips__run_put_values(json, run->task, run->value);
    tips__json_open_object(json, margin_key);
    for (int i = 0; (metric = tips__metric_at(run->task, i)); i++)
        if (is_kept(metric) && !isnan(run->margin[i])) tips__json_number(json, metric->name, run->margin[i]);
    tips__json_close_object(json);
}

tips_status tips__study_save(tips_json *json, const char *folder, const char *name) {
    char path[TIPS_PATH_SIZE];
    const char *text;
    size_t length;
    TIPS_TRY(tips__path_join(folder, name, path));
    TIPS_TRY(tips__json_result(json, &text, &length));
    return tips__atomic_save(path, text, length);
}

tips_status tips__run_write(const tips_run *run, int limit) {
    tips_json *json;
    TIPS_TRY(tips__json_create(&json));
    tips__json_open_object(json, NULL);
    tips__json_int(json, "limit", limit);
    tips__json_number(json, "seconds", run->seconds);
    tips__json_number(json, evaluation_key, run->evaluation);
    if (run->changed[0]) tips__json_text(json, changed_key, run->changed);
    tips__run_put(json, run);
    tips__json_close_object(json);
    const tips_status status = tips__study_save(json, run->folder, "result.json");
    tips__json_destroy(json);
    return status;
}

typedef struct reading {
    tips_run *run;
    char key[KEY_SIZE], outer[KEY_SIZE]; /* outer: the last of the whole */
    int limit;
    bool seen[TIPS_RUN_VALUES];
    bool is_attacked; /* as it was asked for */
} reading;

static bool number_of(const tips_json_event *e, double *out) {
    char text[TIPS_NUMBER_SIZE];
    if (e->kind == TIPS_JSON_NULL) *out = NAN;
    if (e->kind != TIPS_JSON_NUMBER || e->length >= sizeof text) return e->kind == TIPS_JSON_NULL;
    memcpy(text, e->text, e->length);
    text[e->length] = '\0';
    return tips__number_parse(text, out);
}

static void take_value(reading *r, const char *name, int i, double value) {
    if (strcmp(r->key, name) != 0) return;
    r->run->value[i] = value;
    r->seen[i] = true;
}

static void take_margin(reading *r, double value) {
    const tips_metric *metric;
    for (int i = 0; (metric = tips__metric_at(r->run->task, i)); i++)
        if (strcmp(r->key, metric->name) == 0) r->run->margin[i] = value;
}

static tips_status visit(void *context, const tips_json_event *e) {
    reading *r = context;
    const tips_metric *metric;
    char validation[KEY_SIZE];
    double value;
    if (e->kind == TIPS_JSON_KEY) snprintf(r->key, sizeof r->key, "%.*s", (int)e->length, e->text);
    if (e->kind == TIPS_JSON_KEY && e->depth == 1) memcpy(r->outer, r->key, sizeof r->outer);
    if (e->depth == 2 && strcmp(r->outer, margin_key) == 0 && number_of(e, &value)) take_margin(r, value);
    if (e->depth == 1 && e->kind == TIPS_JSON_TEXT && strcmp(r->key, changed_key) == 0)
        r->is_attacked = strlen(r->run->changed) == e->length && memcmp(r->run->changed, e->text, e->length) == 0;
    if (e->depth == 1 && e->kind == TIPS_JSON_TEXT && strcmp(r->key, pictures_key) == 0)
        snprintf(r->run->pictures, sizeof r->run->pictures, "%.*s", (int)e->length, e->text);
    if (e->depth == 1 && e->kind == TIPS_JSON_BOOL && strcmp(r->key, chosen_key) == 0) r->run->chosen_on = e->truth;
    if (e->depth != 1 || !number_of(e, &value)) return TIPS_OK;
    if (strcmp(r->key, "limit") == 0) r->limit = (int)value;
    if (strcmp(r->key, "images") == 0) r->run->images = (int)value;
    if (strcmp(r->key, "seconds") == 0) r->run->seconds = value;
    if (strcmp(r->key, evaluation_key) == 0) r->run->evaluation = value;
    for (int i = 0; (metric = tips__metric_at(r->run->task, i)); i++) take_value(r, metric->name, i, value);
    name_validation(r->run->task, validation);
    take_value(r, validation, TIPS_RUN_VALIDATION, value);
    return TIPS_OK;
}

static bool has_all(const reading *r) {
    const tips_metric *metric;
    for (int i = 0; (metric = tips__metric_at(r->run->task, i)); i++)
        if (is_kept(metric) && !r->seen[i]) return false;
    return r->seen[TIPS_RUN_VALIDATION];
}

static tips_status parse(const char *path, FILE *file, tips_run *run, int limit, bool *found) {
    char *text;
    reading r = {.run = run, .limit = -1};
    TIPS_TRY(tips__new(&text, MOST_BYTES, "a result"));
    const size_t length = fread(text, 1, MOST_BYTES, file);
    tips_status status = tips__json_read(text, length, 4, visit, &r);
    tips__free(text);
    if (status == TIPS_OK && !has_all(&r))
        status = tips__fail(TIPS_FORMAT, "%s: is not a result of a run of tips compare or tips study", path);
    if (status == TIPS_OK && r.limit != limit)
        status = tips__fail(TIPS_INVALID, "%s: was evaluated with --limit %d, not %d; remove it to evaluate again",
                            path, r.limit, limit);
    *found = status == TIPS_OK && (r.is_attacked || !run->changed[0]);
    return status;
}

static void forget(tips_run *run) {
    run->images = 0;
    run->seconds = NAN;
    run->evaluation = 0;
    for (int i = 0; i < TIPS_RUN_VALUES; i++) run->value[i] = run->margin[i] = NAN;
}

tips_status tips__run_read(tips_run *run, int limit, bool *found) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(run->folder, "result.json", path));
    FILE *file = fopen(path, "rb");
    *found = file != NULL;
    if (!file && errno != ENOENT && errno != ENOTDIR)
        TIPS_FAIL(TIPS_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (!file) return TIPS_OK;
    tips_status status = parse(path, file, run, limit, found);
    fclose(file);
    if (status == TIPS_FORMAT) { /* damaged: the run is there, and its figures are made again */
        forget(run);
        *found = false;
        status = TIPS_OK;
    }
    TIPS_TRY(status);
    TIPS_TRY(tips__path_join(run->folder, tips__eval_name, path));
    *found = *found && access(path, R_OK) == 0; /* analyses read it */
    return TIPS_OK;
}
