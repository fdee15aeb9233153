/* The state as texts: its fields by a table, so that writing and reading cannot differ. */
#include "train/train_state_text.h"

#include "core/fail.h"
#include "core/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_type { FIELD_INT, FIELD_LONG, FIELD_REAL } field_type;

typedef struct state_field {
    const char *name;
    field_type type;
    size_t offset;
} state_field;

#define FIELD(type, name) \
    { "state." #name, type, offsetof(tips_train_state, name) }
static const state_field fields[] = {
    FIELD(FIELD_INT, epoch),      FIELD(FIELD_INT, batch),       FIELD(FIELD_INT, batches),
    FIELD(FIELD_LONG, step),      FIELD(FIELD_REAL, sums.total), FIELD(FIELD_REAL, sums.task),
    FIELD(FIELD_REAL, sums.undo), FIELD(FIELD_REAL, sums.fm),    FIELD(FIELD_INT, best_epoch),
    FIELD(FIELD_INT, waited),     FIELD(FIELD_INT, finished),    FIELD(FIELD_LONG, log_bytes),
};
enum { FIELDS = sizeof fields / sizeof fields[0], KEY_SIZE = 96 };
static const char tally_key[] = "state.scores";

tips_train_state tips__train_state_new(const tips_assignment *assignment) {
    tips_train_state state = {.tally = {.assignment = assignment}};
    for (int i = 0; assignment->spec.task->metrics[i].name; i++) {
        const bool is_lower = assignment->spec.task->metrics[i].better == TIPS_LOWER;
        state.best[i] = state.last[i] = is_lower ? INFINITY : -INFINITY;
    }
    return state;
}

void tips__train_state_clear(tips_train_state *state) { tips__tally_clear(&state->tally); }

static void format(const state_field *field, const tips_train_state *state, char out[TIPS_NUMBER_SIZE]) {
    const char *at = (const char *)state + field->offset;
    if (field->type == FIELD_INT) snprintf(out, TIPS_NUMBER_SIZE, "%d", *(const int *)at);
    else if (field->type == FIELD_LONG) snprintf(out, TIPS_NUMBER_SIZE, "%" PRId64, *(const int64_t *)at);
    else tips__number_format(*(const double *)at, out, TIPS_NUMBER_SIZE);
}

static bool parse(const state_field *field, tips_train_state *state, const char *text) {
    char *at = (char *)state + field->offset, *end;
    if (field->type == FIELD_REAL) return tips__number_parse(text, (double *)at);
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end) return false;
    if (field->type == FIELD_LONG) *(int64_t *)at = value;
    else *(int *)at = (int)value;
    return field->type == FIELD_LONG || (value >= 0 && value <= INT32_MAX);
}

/* The best and the last value of metric i. */
static void metric_key(const tips_train_state *state, const char *which, int i, char out[KEY_SIZE]) {
    snprintf(out, KEY_SIZE, "state.%s_%s", which, state->tally.assignment->spec.task->metrics[i].name);
}

static tips_status write_metrics(const tips_train_state *state, const char *which, const double *values,
                                 tips_safetensors_writer *writer) {
    for (int i = 0; state->tally.assignment->spec.task->metrics[i].name; i++) {
        char key[KEY_SIZE], text[TIPS_NUMBER_SIZE];
        metric_key(state, which, i, key);
        tips__number_format(values[i], text, sizeof text);
        TIPS_TRY(tips__safetensors_add_metadata(writer, key, text));
    }
    return TIPS_OK;
}

static tips_status write_tally(const tips_train_state *state, tips_safetensors_writer *writer) {
    tips_text text = {0};
    tips_status status = tips__tally_format(&state->tally, &text);
    if (status == TIPS_OK) status = tips__safetensors_add_metadata(writer, tally_key, text.data ? text.data : "");
    tips__text_clear(&text);
    return status;
}

tips_status tips__train_state_write(const tips_train_state *state, tips_safetensors_writer *writer) {
    for (int i = 0; i < FIELDS; i++) {
        char text[TIPS_NUMBER_SIZE];
        format(&fields[i], state, text);
        TIPS_TRY(tips__safetensors_add_metadata(writer, fields[i].name, text));
    }
    TIPS_TRY(write_metrics(state, "best", state->best, writer));
    TIPS_TRY(write_metrics(state, "last", state->last, writer));
    return write_tally(state, writer);
}

static tips_status find(const tips_safetensors *file, const char *path, const char *key, const char **out) {
    *out = tips__safetensors_metadata(file, key);
    if (!*out) TIPS_FAIL(TIPS_FORMAT, "%s: is not a checkpoint of such a training run (no %s)", path, key);
    return TIPS_OK;
}

static tips_status refuse_number(const char *path, const char *key, const char *text) {
    TIPS_FAIL(TIPS_FORMAT, "%s: %s of '%.40s' is not a number", path, key, text);
}

static tips_status read_metrics(const tips_train_state *state, const char *which, const tips_safetensors *file,
                                const char *path, double *values) {
    for (int i = 0; state->tally.assignment->spec.task->metrics[i].name; i++) {
        char key[KEY_SIZE];
        const char *text;
        metric_key(state, which, i, key);
        TIPS_TRY(find(file, path, key, &text));
        if (strcmp(text, "nan") == 0) values[i] = NAN; /* not measured */
        else if (!tips__number_parse(text, &values[i])) return refuse_number(path, key, text);
    }
    return TIPS_OK;
}

tips_status tips__train_state_read(tips_train_state *state, const tips_safetensors *file, const char *path) {
    const char *text;
    for (int i = 0; i < FIELDS; i++) {
        TIPS_TRY(find(file, path, fields[i].name, &text));
        if (!parse(&fields[i], state, text)) return refuse_number(path, fields[i].name, text);
    }
    TIPS_TRY(read_metrics(state, "best", file, path, state->best));
    TIPS_TRY(read_metrics(state, "last", file, path, state->last));
    TIPS_TRY(find(file, path, tally_key, &text));
    const tips_status status = tips__tally_parse(&state->tally, text);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}
