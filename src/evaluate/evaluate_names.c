/* What the model's outputs are called: as the model says, else as the classes of the data that they are matched with,
 * else by their numbers. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/wordnet.h"
#include "task/data_classes.h"

#include <stdio.h>

static const char *name_of(const eval_session *s, int output, char number[16]) {
    if (s->model->info.class_names) return s->model->info.class_names[output];
    for (int i = 0; i < tips__task_data_classes(s->task, s->set); i++)
        if (s->outputs[i] == output) return tips__task_data_class_name(s->task, s->set, i);
    const int background = s->model->info.config.classes - TIPS_WORDNET_CLASSES;
    if (s->matched == TIPS_CLASSES_BY_WORDNET && output >= background) return tips__wordnet_name(output - background);
    snprintf(number, 16, "%d", output);
    return number;
}

tips_status tips__eval_name_outputs(eval_session *s) {
    const int classes = s->model->info.config.classes;
    char number[16];
    TIPS_TRY(tips__new_zero(&s->names, (size_t)classes * sizeof *s->names, "the names of classes"));
    for (int i = 0; i < classes; i++) {
        s->names[i] = tips__strdup(name_of(s, i, number));
        if (!s->names[i]) TIPS_FAIL(TIPS_MEMORY, "out of memory for the name of a class");
    }
    return TIPS_OK;
}

void tips__eval_forget_names(eval_session *s) {
    for (int i = 0; s->names && i < s->model->info.config.classes; i++) tips__free(s->names[i]);
    tips__free(s->names);
    tips__free(s->outputs);
    s->names = NULL, s->outputs = NULL;
}

tips_status tips__evaluate_classes(const tips_evaluate_config *c, tips_dataset *set, const tips_loaded_model *model,
                                   tips_evaluate_class_match *out) {
    eval_session s = {.config = c, .name = c->models, .set = set, .model = model, .task = model->info.task.task};
    tips_status status = tips__dataset_require(set, s.task->needs);
    if (status == TIPS_OK) status = tips__eval_match_classes(&s);
    if (status == TIPS_OK) status = tips__eval_name_outputs(&s);
    if (status == TIPS_OK)
        *out = (tips_evaluate_class_match){.outputs = s.outputs, .names = s.names, .count = model->info.config.classes};
    else tips__eval_forget_names(&s);
    return status;
}

void tips__evaluate_classes_clear(tips_evaluate_class_match *m) {
    for (int i = 0; m->names && i < m->count; i++) tips__free(m->names[i]);
    tips__free(m->names);
    tips__free(m->outputs);
    *m = (tips_evaluate_class_match){0};
}
