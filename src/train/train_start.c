/* Reading the model to start from, and holding options against it. */
#include "train/train_start.h"

#include "arch/blueprint.h"
#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static tips_status read_model(const char *path, tips_loaded_model *out) {
    bool is_onnx;
    TIPS_TRY(tips__model_is_onnx(path, &is_onnx));
    return is_onnx ? tips__model_load(path, false, out) : tips__model_info_load(path, &out->info);
}

tips_status tips__train_start_read(const char *path, tips_train_start *out) {
    tips_train_start start = {.path = tips__strdup(path)};
    if (!start.path) TIPS_FAIL(TIPS_MEMORY, "out of memory for a file name");
    const tips_status status = read_model(path, &start.model);
    if (status == TIPS_OK) *out = start;
    else tips__free(start.path);
    return status;
}

void tips__train_start_clear(tips_train_start *start) {
    if (start->model.params) tips__loaded_model_destroy(&start->model);
    else tips__model_info_clear(&start->model.info);
    tips__free(start->path);
    *start = (tips_train_start){0};
}

tips_status tips__train_start_describe(const tips_model_info *info, tips_settings *s) {
    static const char *const without[] = {"seed", "threads", "classes", "channels", "task", NULL};
    char text[256];
    tips_network_texts texts;
    const tips_model_options network = tips__model_options_of(info->arch, &info->config, &texts);
    TIPS_TRY(tips__settings_from_options(s, tips__model_rows, &network, without));
    tips__task_format(&info->task, text, sizeof text);
    TIPS_TRY(tips__settings_add(s, "task", text));
    snprintf(text, sizeof text, "%d", info->resize);
    TIPS_TRY(tips__settings_add(s, "resize", text));
    return tips__settings_from_options(s, tips__placement_rows, &info->placement, NULL);
}

tips_status tips__train_start_weights(const tips_train_start *start, tips_params *params) {
    tips_weights_report report;
    if (!start->model.params) return tips__weights_load(start->path, params, TIPS_CLASSIFIER_IF_IT_FITS, &report);
    const tips_status status = tips__weights_copy(start->model.params, params, TIPS_CLASSIFIER_IF_IT_FITS, &report);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, start->path);
}

static bool is_converted(const tips_blueprint *b) {
    for (int i = 0; i < b->n_steps; i++)
        if (!b->steps[i].layer) return true;
    return false;
}

static bool is_in(const char *const *names, const char *name) {
    while (*names && !tips__same_name(*names, name)) names++;
    return *names != NULL;
}

/* What 'tips convert' puts into a network, and what no command changes. */
static const char *const convertible[] = {"pool", "lpf", "padding", NULL};
static const char *const fixed[] = {"norm", "stem", "down", "width", NULL};

static tips_status fail_for(const tips_train_start *start, const char *name, const char *value) {
    const tips_blueprint *b = start->model.info.config.blueprint;
    if (!is_in(convertible, name))
        TIPS_FAIL(TIPS_INVALID,
                  "--%s %s: %s is a network from elsewhere, which has the %s of its model file; leave --%s out", name,
                  value, start->path, strcmp(name, "norm") == 0 ? "norms" : "layers", name);
    if (is_converted(b))
        TIPS_FAIL(TIPS_INVALID,
                  "--%s %s: the operators of %s are others already; 'tips convert ORIGINAL --%s %s --out FILE' makes a "
                  "network with these from its original, then --init FILE",
                  name, value, start->path, name, value);
    TIPS_FAIL(TIPS_INVALID,
              "--%s %s: %s is a network from elsewhere, which has the layers of its file; 'tips convert %s --%s %s "
              "--out FILE' "
              "changes them, then --init FILE",
              name, value, start->path, start->path, name, value);
}

tips_status tips__train_start_refuse(const tips_train_start *start, const char *name, const char *value) {
    const tips_blueprint *b = start->model.info.config.blueprint;
    if (!b || (!is_in(convertible, name) && !is_in(fixed, name))) return TIPS_OK;
    return is_in(convertible, name) && is_converted(b) ? TIPS_OK : fail_for(start, name, value);
}

static tips_status check_said(const tips_train_start *start, const tips_settings *said, const tips_settings *has) {
    for (int i = 0; i < said->count; i++) {
        const char *name = said->items[i].name, *theirs = tips__settings_find(has, name);
        if (!theirs || (!is_in(convertible, name) && !is_in(fixed, name))) continue;
        if (strcmp(said->items[i].value, theirs) != 0) return fail_for(start, name, said->items[i].value);
    }
    return TIPS_OK;
}

/* As a model file would say it, so that two ways to write an operator are the same. */
static tips_status normal_form(const tips_model_options *asked, const tips_model_info *info, tips_settings *out) {
    tips_arch_config read;
    tips_network_texts texts;
    TIPS_TRY(tips__model_options_read(asked, &read));
    read.width = read.width ? read.width : info->config.width;
    read.stem = asked->stem ? read.stem : info->config.stem;
    const tips_model_options normal = tips__model_options_of(info->arch, &read, &texts);
    return tips__settings_from_options(out, tips__model_rows, &normal, NULL);
}

tips_status tips__train_start_check(const tips_train_start *start, const tips_model_options *asked) {
    const tips_model_info *info = &start->model.info;
    tips_settings said = {0}, has = {0};
    if (!info->config.blueprint || strcmp(asked->arch, info->arch->name) != 0) return TIPS_OK;
    tips_status status = normal_form(asked, info, &said);
    if (status == TIPS_OK) status = tips__train_start_describe(info, &has);
    if (status == TIPS_OK) status = check_said(start, &said, &has);
    tips__settings_clear(&said);
    tips__settings_clear(&has);
    return status;
}
