/* Opens a file and, if it is a model, checks its tensors against its network. No tensor is read. */
#include "run/model_report.h"

#include "core/fail.h"
#include "run/graph_count.h"

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
    TIPS_TRY(tips__model_create(r->info.arch, &r->info.config, false, &model));
    const tips_status status = tips__model_check(r->file, model.graph);
    r->trainable = tips__graph_parameters(model.graph);
    r->statistics = count_statistics(model.graph);
    tips__model_destroy(&model);
    tips__pool_format(&r->info.config.pool, r->pool, sizeof r->pool);
    return status;
}

tips_status tips__model_report(const char *path, tips_model_report *out) {
    tips_model_report r = {0};
    TIPS_TRY(tips__safetensors_open(path, &r.file));
    for (int i = 0; i < tips__safetensors_count(r.file); i++) {
        const tips_tensor_entry *entry = tips__safetensors_entry(r.file, i);
        r.bytes += entry->end - entry->begin;
    }
    const tips_status status = report_model(&r);
    if (status == TIPS_OK) {
        *out = r;
        return TIPS_OK;
    }
    tips__model_report_clear(&r);
    return tips__fail_within(status, path);
}

void tips__model_report_clear(tips_model_report *r) {
    if (!r) return;
    tips__safetensors_close(r->file);
    tips__model_info_clear(&r->info);
    r->file = NULL;
}

tips_status tips__model_report_training(const tips_model_report *r, tips_json_visit visit, void *context) {
    const char *text = r->info.training;
    return tips__json_read(text, strlen(text), MOST_DEPTH, visit, context);
}
