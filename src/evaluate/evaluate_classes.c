/* Which of a model's outputs is which class of the data: by name where the model has names, else by order. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/nearest.h"
#include "data/folders.h"
#include "data/wordnet.h"
#include "task/data_classes.h"

#include <string.h>

static int find_name(const tips_model_info *info, const char *name) {
    for (int i = 0; i < info->config.classes; i++)
        if (strcmp(info->class_names[i], name) == 0) return i;
    return -1;
}

/* Lists of ImageNet's classes have all words of a synset, some with its number in front: "n01440764 tench, Tinca
 * tinca". Others have underscores for blanks. */
static bool is_alike(const char *theirs, const char *name) {
    const int output = tips__wordnet_find(name);
    const char *number = output < 0 ? NULL : tips__wordnet_number(output);
    if (number && strncmp(theirs, number, strlen(number)) == 0) return true;
    for (; *name; name++, theirs++)
        if (*theirs != *name && !(*theirs == '_' && *name == ' ')) return false;
    return *theirs == '\0' || *theirs == ',';
}

/* One that is not the only one is none. */
static int find_alike(const tips_model_info *info, const char *name) {
    int found = -1;
    for (int i = 0; i < info->config.classes; i++) {
        if (!is_alike(info->class_names[i], name)) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
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
        if (s->outputs[i] < 0) s->outputs[i] = find_alike(&s->model->info, name);
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

/* ImageNet's classes have an order of their own; some networks have an output for the background before them. */
static bool match_wordnet(const eval_session *s) {
    const int more = s->model->info.config.classes - TIPS_WORDNET_CLASSES;
    if (more < 0 || more > 1) return false;
    for (int i = 0; i < tips__task_data_classes(s->task, s->set); i++) {
        const int output = tips__wordnet_find(tips__task_data_class_name(s->task, s->set, i));
        if (output < 0) return false;
        s->outputs[i] = output + more;
    }
    return true;
}

tips_status tips__eval_match_classes(eval_session *s) {
    const size_t classes = (size_t)tips__task_data_classes(s->task, s->set);
    bool by_name = false;
    TIPS_TRY(tips__new(&s->outputs, classes * sizeof *s->outputs, "the classes"));
    if (s->model->info.class_names) TIPS_TRY(match_names(s, &by_name));
    s->matched = by_name ? TIPS_CLASSES_BY_NAME : match_wordnet(s) ? TIPS_CLASSES_BY_WORDNET : TIPS_CLASSES_BY_ORDER;
    s->names_differ = s->model->info.class_names && s->matched == TIPS_CLASSES_BY_ORDER;
    return s->matched == TIPS_CLASSES_BY_ORDER ? match_order(s) : TIPS_OK;
}
