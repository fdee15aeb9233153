/* What options are if nothing is said: the table's own defaults, over them the task's, then the optimiser's rates. */
#include "train/train_parts.h"

#include "core/fail.h"

#include <string.h>

static const char *fallback(const tips_option *table, const char *name) {
    tips_option row = {0};
    return tips__option_find(table, name, &row) ? row.fallback : NULL;
}

/* Texts are borrowed: one that is not the default's own was given. NULL if it was said nowhere. */
static const char *find(const char *given, const char *name, const tips_option *table, const tips_train_sources *s) {
    const char *text = given && given != fallback(table, name) ? given : tips__yaml_value(s->recipe, name);
    if (!text) text = tips__settings_find(&s->checkpoint, name);
    return text ? text : tips__settings_find(&s->model, name);
}

static const tips_usual *usual_of(const tips_task *task, const char *name) {
    for (const tips_usual *at = task->usual; at && at->name; at++)
        if (strcmp(at->name, name) == 0) return at;
    return NULL;
}

static const char *usual_optimizer(const tips_task *task, const tips_option *table) {
    const tips_usual *own = task ? usual_of(task, "optimizer") : NULL;
    return own ? own->value : fallback(table, "optimizer");
}

/* A checkpoint has all options in it, but for those that the table's defaults tell. */
tips_status tips__train_find_manner(const tips_train_config *given, const tips_option *table,
                                    const tips_train_sources *sources, train_manner *out) {
    const char *arch = find(given->model.arch, "arch", table, sources);
    const tips_model_options asked = {.arch = arch ? arch : fallback(table, "arch"),
                                      .task = find(given->model.task, "task", table, sources)};
    const char *optimizer = find(given->optimizer, "optimizer", table, sources);
    tips_task_spec spec = {0};
    train_manner manner = {0};
    if (sources->checkpoint.count == 0) TIPS_TRY(tips__model_options_task(&asked, &spec));
    if (spec.task) manner.usual = spec.task->usual;
    TIPS_TRY(tips__optimizer_parse(optimizer ? optimizer : usual_optimizer(spec.task, table), &manner.optimizer));
    *out = manner;
    return TIPS_OK;
}

static tips_status set(const tips_option *table, const char *name, const char *value, void *config) {
    tips_option row;
    return tips__option_find(table, name, &row) ? tips__option_set_usual(&row, config, value, name) : TIPS_OK;
}

tips_status tips__train_usual(const train_manner *manner, const tips_option *table, void *config) {
    for (const tips_usual *at = manner->usual; at && at->name; at++) TIPS_TRY(set(table, at->name, at->value, config));
    TIPS_TRY(set(table, "lr", manner->optimizer.optimizer->lr, config));
    return set(table, "weight-decay", manner->optimizer.optimizer->weight_decay, config);
}

tips_status tips__train_defaults(const tips_train_config *said, tips_train_config *config) {
    const tips_train_sources nowhere = {0};
    train_manner manner;
    if (!said) return tips__options_defaults(tips__train_rows, config);
    TIPS_TRY(tips__train_find_manner(said, tips__train_rows, &nowhere, &manner));
    TIPS_TRY(tips__options_defaults(tips__train_rows, config));
    return tips__train_usual(&manner, tips__train_rows, config);
}
