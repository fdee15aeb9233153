/* The table of tasks: finding one, reading and writing "name:key=value,...". */
#include "core/fail.h"
#include "core/nearest.h"
#include "task/task.h"

#include <stdio.h>
#include <string.h>

#define TIPS_TASK(name) extern const tips_task tips__task_##name;
#include "task/tasks.def"
#undef TIPS_TASK

const tips_task *const tips__tasks[] = {
#define TIPS_TASK(name) &tips__task_##name,
#include "task/tasks.def"
#undef TIPS_TASK
    NULL};

enum { LIST_SIZE = 512 };

static void list_names(char *out, size_t size) {
    size_t length = 0;
    for (const tips_task *const *task = tips__tasks; *task && length < size; task++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : "", (*task)->name);
}

static tips_status refuse_name(const char *name, int length) {
    char names[LIST_SIZE], word[64];
    snprintf(word, sizeof word, "%.*s", length, name);
    list_names(names, sizeof names);
    tips__nearest_search search = {.word = word};
    for (const tips_task *const *task = tips__tasks; *task; task++) tips__nearest_offer(&search, (*task)->name);
    if (!search.best) TIPS_FAIL(TIPS_UNKNOWN, "unknown task '%s'; there are %s", word, names);
    TIPS_FAIL(TIPS_UNKNOWN, "unknown task '%s'; did you mean '%s'? There are %s", word, search.best, names);
}

static const tips_task *find(const char *name, size_t length) {
    for (const tips_task *const *task = tips__tasks; *task; task++)
        if (strlen((*task)->name) == length && memcmp((*task)->name, name, length) == 0) return *task;
    return NULL;
}

tips_status tips__task_parse(const char *text, tips_task_spec *out) {
    const char *name = text ? text : tips__tasks[0]->name;
    const size_t length = strcspn(name, ":");
    tips_task_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.task = find(name, length);
    if (!spec.task) return refuse_name(name, (int)length);
    TIPS_TRY(tips__options_defaults(spec.task->options, &spec.config));
    if (name[length] == ':')
        TIPS_TRY(tips__options_parse(spec.task->options, &spec.config, name + length + 1, spec.task->name));
    *out = spec;
    return TIPS_OK;
}

void tips__task_format(const tips_task_spec *spec, char *out, size_t size) {
    char options[LIST_SIZE];
    tips__options_format(spec->task->options, &spec->config, options, sizeof options);
    snprintf(out, size, "%s%s%s", spec->task->name, options[0] ? ":" : "", options);
}

/* Defaults are the table's own and cannot be out of range. */
tips_task_spec tips__task_default(void) {
    tips_task_spec spec;
    if (tips__task_parse(NULL, &spec) != TIPS_OK) spec = (tips_task_spec){.task = tips__tasks[0]};
    return spec;
}

bool tips__task_is_default(const tips_task_spec *spec) {
    char text[LIST_SIZE];
    tips__task_format(spec, text, sizeof text);
    return strcmp(text, tips__tasks[0]->name) == 0;
}

tips_status tips__task_expect_logits(const tips_task_spec *spec, const char *who) {
    if (spec->task->flags & TIPS_TASK_LOGITS) return TIPS_OK;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s answers with a class for each picture; the task of this model is '%s'", who,
              spec->task->name);
}
