/* Saving and loading whole models, and weights alone. */
#include "exchange/model_parts.h"

#include "core/fail.h"
#include "core/memory.h"

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

tips_status tips__model_save(const char *path, const tips_model_info *info, const tips_params *params) {
    tips_safetensors_writer *w;
    TIPS_TRY(tips__safetensors_create(&w));
    tips_status status = tips__model_info_write(info, w);
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
    TIPS_TRY(tips__params_create(graph, 0, params));
    return tips__weights_read(file, sources, *params);
}

static tips_status load(const tips_safetensors *file, bool training, tips_loaded_model *out) {
    if (!tips__model_is_ours(file))
        TIPS_FAIL(TIPS_FORMAT,
                  "it holds tensors but does not say of which network; --weights with --arch loads such files");
    TIPS_TRY(tips__model_info_read(file, &out->info));
    TIPS_TRY(tips__model_create(out->info.arch, &out->info.config, training, &out->model));
    int *sources;
    TIPS_TRY(new_sources(out->model.graph, &sources));
    const tips_status status = load_params(file, out->model.graph, sources, &out->params);
    tips__free(sources);
    return status;
}

tips_status tips__model_load(const char *path, bool training, tips_loaded_model *out) {
    tips_safetensors *file;
    tips_loaded_model loaded = {0};
    TIPS_TRY(tips__safetensors_open(path, &file));
    const tips_status status = load(file, training, &loaded);
    tips__safetensors_close(file);
    if (status == TIPS_OK) {
        *out = loaded;
        return TIPS_OK;
    }
    tips__loaded_model_destroy(&loaded);
    return tips__fail_within(status, path);
}

void tips__loaded_model_destroy(tips_loaded_model *loaded) {
    if (!loaded) return;
    tips__params_destroy(loaded->params);
    tips__model_destroy(&loaded->model);
    tips__model_info_clear(&loaded->info);
    loaded->params = NULL;
}

static tips_status load_weights(const tips_safetensors *file, tips_params *params, bool skip_classifier,
                                tips_weights_report *report) {
    const tips_weights_rules rules = {.operators = true, .classifier = skip_classifier};
    int *sources;
    TIPS_TRY(new_sources(params->graph, &sources));
    tips_status status = tips__weights_match(file, params->graph, rules, sources, report);
    if (status == TIPS_OK) status = tips__weights_read(file, sources, params);
    tips__free(sources);
    return status;
}

tips_status tips__weights_load(const char *path, tips_params *params, bool skip_classifier,
                               tips_weights_report *report) {
    tips_safetensors *file;
    TIPS_TRY(tips__safetensors_open(path, &file));
    const tips_status status = load_weights(file, params, skip_classifier, report);
    tips__safetensors_close(file);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}
