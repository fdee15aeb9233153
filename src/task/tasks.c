/* The table of tasks: finding one, reading and writing "name:key=value,...". */
#include "core/fail.h"
#include "core/named.h"
#include "task/task.h"

#include <string.h>

#define TIPS_TASK(name) extern const tips_task tips__task_##name;
#include "task/tasks.def"
#undef TIPS_TASK

const tips_task *const tips__tasks[] = {
#define TIPS_TASK(name) &tips__task_##name,
#include "task/tasks.def"
#undef TIPS_TASK
    NULL};

enum { TEXT_SIZE = 512 };

static tips_named named(const tips_task *task) {
    return task ? (tips_named){task->name, task->options} : (tips_named){0};
}

static tips_named named_row(int i) { return named(tips__tasks[i]); }

static const tips_name_table table = {.what = "task", .row = named_row};

tips_status tips__task_parse(const char *text, tips_task_spec *out) {
    const char *name = text ? text : tips__tasks[0]->name;
    tips_task_spec spec;
    int row;
    memset(&spec, 0, sizeof spec);
    TIPS_TRY(tips__named_find(&table, name, &row));
    spec.task = tips__tasks[row];
    TIPS_TRY(tips__named_read(&table, row, name, &spec.config));
    *out = spec;
    return TIPS_OK;
}

void tips__task_format(const tips_task_spec *spec, char *out, size_t size) {
    tips__named_format(named(spec->task), &spec->config, out, size);
}

void tips__task_format_all(const tips_task_spec *spec, char *out, size_t size) {
    tips__named_format_all(named(spec->task), &spec->config, out, size);
}

/* Defaults are the table's own and cannot be out of range. */
tips_task_spec tips__task_default(void) {
    tips_task_spec spec;
    if (tips__task_parse(NULL, &spec) != TIPS_OK) spec = (tips_task_spec){.task = tips__tasks[0]};
    return spec;
}

bool tips__task_is_default(const tips_task_spec *spec) {
    char text[TEXT_SIZE];
    tips__task_format(spec, text, sizeof text);
    return strcmp(text, tips__tasks[0]->name) == 0;
}

static tips_status expect(const tips_task_spec *spec, unsigned flag, const char *who, const char *what) {
    if (spec->task->flags & flag) return TIPS_OK;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s answers with %s; the task of this model is '%s'", who, what, spec->task->name);
}

tips_status tips__task_expect_logits(const tips_task_spec *spec, const char *who) {
    return expect(spec, TIPS_TASK_LOGITS, who, "a class for each picture");
}

tips_status tips__task_expect_masks(const tips_task_spec *spec, const char *who) {
    return expect(spec, TIPS_TASK_MASK, who, "a class for each pixel");
}

tips_status tips__task_expect_boxes(const tips_task_spec *spec, const char *who) {
    return expect(spec, TIPS_TASK_BOXES, who, "boxes");
}
