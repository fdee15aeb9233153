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
    FIELD(FIELD_REAL, sums.undo), FIELD(FIELD_REAL, sums.fm),    FIELD(FIELD_LONG, correct),
    FIELD(FIELD_LONG, seen),      FIELD(FIELD_REAL, best_loss),  FIELD(FIELD_REAL, best_accuracy),
    FIELD(FIELD_INT, best_epoch), FIELD(FIELD_REAL, last_loss),  FIELD(FIELD_REAL, last_accuracy),
    FIELD(FIELD_INT, waited),     FIELD(FIELD_INT, finished),    FIELD(FIELD_LONG, log_bytes),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

tips_train_state tips__train_state_new(void) {
    return (tips_train_state){.best_loss = INFINITY, .last_loss = INFINITY};
}

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

tips_status tips__train_state_write(const tips_train_state *state, tips_safetensors_writer *writer) {
    for (int i = 0; i < FIELDS; i++) {
        char text[TIPS_NUMBER_SIZE];
        format(&fields[i], state, text);
        TIPS_TRY(tips__safetensors_add_metadata(writer, fields[i].name, text));
    }
    return TIPS_OK;
}

tips_status tips__train_state_read(tips_train_state *state, const tips_safetensors *file, const char *path) {
    tips_train_state read = {0};
    for (int i = 0; i < FIELDS; i++) {
        const char *text = tips__safetensors_metadata(file, fields[i].name);
        if (!text) TIPS_FAIL(TIPS_FORMAT, "%s: is not a checkpoint of a training run (no %s)", path, fields[i].name);
        if (!parse(&fields[i], &read, text))
            TIPS_FAIL(TIPS_FORMAT, "%s: %s of '%.40s' is not a number", path, fields[i].name, text);
    }
    *state = read;
    return TIPS_OK;
}
