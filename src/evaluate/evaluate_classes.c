/* Which of a model's outputs is which class of the data: by name where the model has names, else by order. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/nearest.h"
#include "data/folders.h"
#include "task/data_classes.h"

#include <string.h>

static int find_name(const tips_model_info *info, const char *name) {
    for (int i = 0; i < info->config.classes; i++)
        if (strcmp(info->class_names[i], name) == 0) return i;
    return -1;
}

static tips_status refuse_name(const eval_session *s, const char *name) {
    const tips_model_info *info = &s->model->info;
    tips__nearest_search search = {.word = name};
    for (int i = 0; i < info->config.classes; i++) tips__nearest_offer(&search, info->class_names[i]);
    TIPS_FAIL(TIPS_INVALID, "%s: has no class '%s', which the data has%s%s%s", s->config->input.labels, name,
              search.best ? "; did you mean '" : "", search.best ? search.best : "", search.best ? "'?" : "");
}

/* *all is false if a name of the data is not among the model's. */
static tips_status match_names(const eval_session *s, bool *all) {
    *all = true;
    for (int i = 0; i < tips__task_data_classes(s->task, s->set); i++) {
        const char *name = tips__task_data_class_name(s->task, s->set, i);
        const char *folder = tips__class_folder(name);
        s->outputs[i] = find_name(&s->model->info, name);
        if (s->outputs[i] < 0 && folder) s->outputs[i] = find_name(&s->model->info, folder);
        if (s->outputs[i] >= 0) continue;
        *all = false;
        if (s->config->input.labels) return refuse_name(s, name);
    }
    return TIPS_OK;
}

static tips_status match_order(const eval_session *s) {
    const int outputs = s->model->info.config.classes, classes = tips__task_data_classes(s->task, s->set);
    if (outputs < classes) TIPS_FAIL(TIPS_SHAPE, "%s knows %d classes, the data has %d", s->name, outputs, classes);
    if (s->config->same_classes && outputs != classes)
        TIPS_FAIL(TIPS_SHAPE,
                  "%s has %d outputs, the data %d classes: which is which? --labels FILE names the outputs, one a line",
                  s->name, outputs, classes);
    for (int i = 0; i < classes; i++) s->outputs[i] = i;
    return TIPS_OK;
}

tips_status tips__eval_match_classes(eval_session *s) {
    const size_t classes = (size_t)tips__task_data_classes(s->task, s->set);
    bool by_name = false;
    TIPS_TRY(tips__new(&s->outputs, classes * sizeof *s->outputs, "the classes"));
    if (s->model->info.class_names) TIPS_TRY(match_names(s, &by_name));
    return by_name ? TIPS_OK : match_order(s);
}
