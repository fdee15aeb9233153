/* Opens a file and, if it is a model, checks its tensors against its network. No tensor is read. */
#include "model/model_report.h"

#include "arch/blueprint.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/graph_count.h"

#include <string.h>

enum { MOST_DEPTH = 16 };

static size_t count_statistics(const tips_graph *graph) {
    size_t sum = 0;
    for (int i = 0; i < tips__graph_param_count(graph); i++) {
        const tips_param_spec *spec = tips__graph_param(graph, i);
        if (!spec->trainable) sum += tips__param_elements(spec);
    }
    return sum;
}

static tips_status report_model(tips_model_report *r) {
    tips_model model;
    r->is_model = tips__model_is_ours(r->file);
    if (!r->is_model) return TIPS_OK;
    TIPS_TRY(tips__model_info_read(r->file, &r->info));
    TIPS_TRY(tips__model_create(r->info.arch, &r->info.config, &r->info.task, false, &model));
    const tips_status status = tips__model_check(r->file, model.graph);
    r->trainable = tips__graph_parameters(model.graph);
    r->statistics = count_statistics(model.graph);
    tips__model_destroy(&model);
    tips__pool_format(&r->info.config.pool, r->pool, sizeof r->pool);
    if (r->info.config.blueprint) r->steps = r->info.config.blueprint->n_steps;
    return status;
}

static tips_status list_tensors(tips_model_report *r) {
    r->n_tensors = tips__safetensors_count(r->file);
    TIPS_TRY(tips__new(&r->tensors, (size_t)(r->n_tensors + 1) * sizeof *r->tensors, "the list of tensors"));
    for (int i = 0; i < r->n_tensors; i++) {
        r->tensors[i] = *tips__safetensors_entry(r->file, i);
        r->bytes += r->tensors[i].end - r->tensors[i].begin;
    }
    return TIPS_OK;
}

static tips_status report_safetensors(const char *path, tips_model_report *r) {
    TIPS_TRY(tips__safetensors_open(path, &r->file));
    tips_status status = list_tensors(r);
    if (status == TIPS_OK) status = report_model(r);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}

/* Of an ONNX file: the parameters of the network that came of it. */
static tips_status report_onnx(const char *path, const tips_read_as *as, tips_model_report *r) {
    TIPS_TRY(tips__model_load_as(path, as, false, &r->onnx));
    const tips_graph *graph = r->onnx.model.graph;
    r->is_model = true;
    r->info = r->onnx.info;
    r->onnx.info = (tips_model_info){0};
    r->trainable = tips__graph_parameters(graph);
    r->statistics = count_statistics(graph);
    tips__pool_format(&r->info.config.pool, r->pool, sizeof r->pool);
    if (r->info.config.blueprint) r->steps = r->info.config.blueprint->n_steps;
    r->n_tensors = tips__graph_param_count(graph);
    TIPS_TRY(tips__new_zero(&r->tensors, (size_t)(r->n_tensors + 1) * sizeof *r->tensors, "the list of tensors"));
    for (int i = 0; i < r->n_tensors; i++) {
        const tips_param_spec *spec = tips__graph_param(graph, i);
        tips_tensor_entry *t = &r->tensors[i];
        *t = (tips_tensor_entry){.name = spec->name, .dtype = "F32", .n_dims = spec->n_dims, .begin = r->bytes};
        for (int d = 0; d < spec->n_dims; d++) t->dims[d] = spec->dims[d];
        t->end = r->bytes += tips__param_elements(spec) * sizeof(float);
    }
    return TIPS_OK;
}

bool tips__model_is_verified(const tips_model_report *r) { return r->file && tips__safetensors_is_verified(r->file); }

tips_status tips__model_report(const char *path, const tips_read_as *as, tips_model_report *out) {
    tips_model_report r = {0};
    bool is_onnx;
    TIPS_TRY(tips__model_is_onnx(path, &is_onnx));
    const tips_status status = is_onnx ? report_onnx(path, as, &r) : report_safetensors(path, &r);
    if (status == TIPS_OK) *out = r;
    else tips__model_report_clear(&r);
    return status;
}

void tips__model_report_clear(tips_model_report *r) {
    if (!r) return;
    if (r->file) tips__safetensors_close(r->file);
    tips__model_info_clear(&r->info);
    tips__loaded_model_destroy(&r->onnx);
    tips__free(r->tensors);
    r->file = NULL;
    r->tensors = NULL;
}

tips_status tips__model_report_training(const tips_model_report *r, tips_json_visit visit, void *context) {
    const char *text = r->info.training;
    return tips__json_read(text, strlen(text), MOST_DEPTH, visit, context);
}
