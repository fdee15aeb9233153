/* Saving and loading whole models, and weights alone. */
#include "model/model_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/path.h"
#include "exchange/foreign_model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void fill_tensor(void *context, int id, float *out) { tips__param_get(context, id, out); }

static tips_status add_tensors(const tips_params *params, tips_safetensors_writer *w) {
    for (int i = 0; i < params->count; i++) {
        const tips_param_spec *spec = tips__graph_param(params->graph, i);
        int64_t dims[4];
        for (int d = 0; d < spec->n_dims; d++) dims[d] = spec->dims[d];
        TIPS_TRY(tips__safetensors_add_source(w, spec->name, spec->n_dims, dims, fill_tensor, (void *)params, i));
    }
    return TIPS_OK;
}

static tips_status add_metadata(void *context, const char *key, const char *value) {
    return tips__safetensors_add_metadata(context, key, value);
}

tips_status tips__model_save(const char *path, const tips_model_info *info, const tips_params *params) {
    tips_safetensors_writer *w;
    TIPS_TRY(tips__safetensors_create(&w));
    tips_status status = tips__safetensors_add_metadata(w, "format", "pt"); /* as PyTorch's tools want it */
    if (status == TIPS_OK) status = tips__model_info_write(info, &(tips_metadata_sink){add_metadata, w});
    if (status == TIPS_OK) status = add_tensors(params, w);
    if (status == TIPS_OK) status = tips__safetensors_write(w, path);
    tips__safetensors_destroy(w);
    return status;
}

static tips_status new_sources(const tips_graph *graph, int **out) {
    const int count = tips__graph_param_count(graph);
    return tips__new(out, (size_t)(count ? count : 1) * sizeof **out, "the places of tensors");
}

tips_status tips__model_check(const tips_safetensors *file, const tips_graph *graph) {
    tips_weights_report report;
    int *sources;
    TIPS_TRY(new_sources(graph, &sources));
    const tips_status status = tips__weights_match(file, graph, (tips_weights_rules){0}, sources, &report);
    tips__free(sources);
    return status;
}

/* Matched before the parameters are made: a file that claims a large network must have its tensors. */
static tips_status load_params(const tips_safetensors *file, const tips_graph *graph, int *sources,
                               tips_params **params) {
    tips_weights_report report;
    TIPS_TRY(tips__weights_match(file, graph, (tips_weights_rules){0}, sources, &report));
    TIPS_TRY(tips__params_create_unset(graph, params));
    return tips__weights_read(file, sources, *params);
}

static tips_status load(const tips_safetensors *file, bool training, tips_loaded_model *out) {
    if (!tips__model_is_ours(file))
        TIPS_FAIL(TIPS_FORMAT,
                  "it holds tensors but does not say of which network; --weights with --arch loads such files");
    TIPS_TRY(tips__model_info_read(file, &out->info));
    tips__note_original(out);
    TIPS_TRY(tips__model_create(out->info.arch, &out->info.config, &out->info.task, training, &out->model));
    int *sources;
    TIPS_TRY(new_sources(out->model.graph, &sources));
    const tips_status status = load_params(file, out->model.graph, sources, &out->params);
    tips__free(sources);
    return status;
}

static tips_status load_safetensors(const char *path, bool training, tips_loaded_model *out) {
    tips_safetensors *file;
    TIPS_TRY(tips__safetensors_open(path, &file));
    const tips_status status = load(file, training, out);
    tips__safetensors_close(file);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}

/* The header of a safetensors file is an object behind eight bytes; anything else with that name or content is ONNX. */
tips_status tips__model_is_onnx(const char *path, bool *out) {
    unsigned char start[9] = {0};
    TIPS_TRY(tips__refuse_foreign_model(path));
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: it cannot be opened: %s", path, strerror(errno));
    const size_t count = fread(start, 1, sizeof start, file);
    fclose(file);
    const bool named = tips__path_ends(path, ".onnx"), other_name = tips__path_ends(path, ".safetensors");
    *out = named || (!other_name && count == sizeof start && start[8] != '{' && start[0] == 0x08);
    return TIPS_OK;
}

/* A file that says what it is for is not for anything else. */
static tips_status check_as(const char *path, const tips_read_as *as, bool is_onnx, const tips_model_info *info) {
    tips_task_spec wanted;
    if (as->output && (!is_onnx || info->config.blueprint == NULL))
        TIPS_FAIL(TIPS_INVALID, "%s has one output; leave --output out", path);
    if (as->boxes && (!is_onnx || info->config.blueprint == NULL))
        TIPS_FAIL(TIPS_INVALID, "%s says itself what its outputs are; leave --boxes out", path);
    if (!as->task) return TIPS_OK;
    TIPS_TRY(tips__task_parse(as->task, &wanted));
    if (wanted.task != info->task.task)
        TIPS_FAIL(TIPS_INVALID, "%s is a model of the task '%s', not '%s'", path, info->task.task->name,
                  wanted.task->name);
    return TIPS_OK;
}

tips_status tips__model_load_as(const char *path, const tips_read_as *as, bool training, tips_loaded_model *out) {
    tips_loaded_model loaded = {0};
    bool is_onnx;
    TIPS_TRY(tips__model_is_onnx(path, &is_onnx));
    tips_status status =
        is_onnx ? tips__onnx_model_load(path, as, training, &loaded) : load_safetensors(path, training, &loaded);
    if (status == TIPS_OK) status = check_as(path, as, is_onnx, &loaded.info);
    loaded.preprocess = tips__model_preprocess(&loaded.info);
    if (status == TIPS_OK) *out = loaded;
    else tips__loaded_model_destroy(&loaded);
    return status;
}

tips_status tips__model_load_at(const char *path, const int size[2], bool training, tips_loaded_model *out) {
    return tips__model_load_as(path, &(tips_read_as){.size = size}, training, out);
}

tips_status tips__model_load(const char *path, bool training, tips_loaded_model *out) {
    return tips__model_load_at(path, NULL, training, out);
}

static tips_status info_of_safetensors(const char *path, tips_model_info *out) {
    tips_safetensors *file;
    TIPS_TRY(tips__safetensors_open(path, &file));
    tips_status status = TIPS_OK;
    if (!tips__model_is_ours(file))
        status = tips__fail(TIPS_FORMAT, "%s: is not a model of tips; --weights takes weights alone", path);
    if (status == TIPS_OK) status = tips__model_info_read(file, out);
    tips__safetensors_close(file);
    return status;
}

tips_status tips__model_info_load(const char *path, tips_model_info *out) {
    tips_loaded_model loaded;
    bool is_onnx;
    TIPS_TRY(tips__model_is_onnx(path, &is_onnx));
    if (!is_onnx) return info_of_safetensors(path, out);
    TIPS_TRY(tips__model_load(path, false, &loaded));
    *out = loaded.info;
    loaded.info = (tips_model_info){0};
    tips__loaded_model_destroy(&loaded);
    return TIPS_OK;
}

static tips_status load_weights(const tips_safetensors *file, tips_params *params, tips_classifier_rule classifier,
                                tips_weights_report *report) {
    tips_weights_rules rules = {.operators = true, .classifier = classifier == TIPS_CLASSIFIER_SKIPPED};
    int *sources;
    if (classifier == TIPS_CLASSIFIER_IF_IT_FITS)
        rules.classifier = tips__weights_have_other_classifier(file, params->graph);
    TIPS_TRY(new_sources(params->graph, &sources));
    tips_status status = tips__weights_match(file, params->graph, rules, sources, report);
    if (status == TIPS_OK) status = tips__weights_read(file, sources, params);
    tips__free(sources);
    return status;
}

static tips_status load_onnx_weights(const char *path, tips_params *params, tips_classifier_rule classifier,
                                     tips_weights_report *report) {
    tips_loaded_model from;
    TIPS_TRY(tips__model_load(path, false, &from));
    const tips_status status = tips__weights_copy(from.params, params, classifier, report);
    tips__loaded_model_destroy(&from);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}

tips_status tips__weights_load(const char *path, tips_params *params, tips_classifier_rule classifier,
                               tips_weights_report *report) {
    bool is_onnx;
    TIPS_TRY(tips__model_is_onnx(path, &is_onnx));
    if (is_onnx) return load_onnx_weights(path, params, classifier, report);
    tips_safetensors *file;
    TIPS_TRY(tips__safetensors_open(path, &file));
    const tips_status status = load_weights(file, params, classifier, report);
    tips__safetensors_close(file);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}
