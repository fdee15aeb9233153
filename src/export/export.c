/* Loads a model, brings it to another size if asked to, writes it as an ONNX file. */
#include "export/export.h"

#include "core/fail.h"
#include "core/keep_input.h"
#include "core/memory.h"
#include "core/path.h"

/* How often the input is a map's size at least: what height and width should be multiples of. */
static void find_divisor(const tips_graph *graph, int divisor[2]) {
    int *scale = tips__calloc((size_t)tips__graph_value_count(graph) + 1, 2 * sizeof *scale);
    divisor[0] = divisor[1] = 1;
    for (int i = 0; scale && i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        int stride[2] = {1, 1};
        if (node->layer->pools) (void)node->layer->pools(node, stride);
        for (int axis = 0; axis < 2; axis++) {
            const int before = node->n_in ? scale[2 * node->in[0] + axis] : 0;
            const int after = (before ? before : 1) * stride[axis];
            for (int o = 0; o < node->n_out; o++) scale[2 * node->out[o] + axis] = after;
            if (after > divisor[axis]) divisor[axis] = after;
        }
    }
    tips__free(scale);
}

static void describe_output(const tips_model *model, tips_export_result *out) {
    const tips_value_info *logits = tips__value(model->graph, model->ends.outputs[0]);
    out->classes = out->boxes ? out->classes : logits->c;
    out->map = !out->boxes && (logits->h > 1 || logits->w > 1);
    out->map_size[0] = logits->h, out->map_size[1] = logits->w;
}

static tips_status export_model(const tips_export_config *config, tips_loaded_model *m, tips_export_result *out) {
    const tips_emit_options options = {.opset = config->opset, .keep_bn = config->keep_bn};
    const tips_arch_config *c = &m->info.config;
    if (config->size[0] > 0) TIPS_TRY(tips__loaded_model_rebuild(m, config->size, false));
    TIPS_TRY(tips__onnx_save(config->out, &m->info, m->params, &options, &out->file));
    out->channels = c->in_channels;
    out->size[0] = c->size[0];
    out->size[1] = c->size[1];
    out->classes = c->classes;
    out->input = tips__model_input(&m->info);
    out->boxes = m->info.task.task->flags & TIPS_TASK_BOXES;
    describe_output(&m->model, out);
    find_divisor(m->model.graph, out->divisor);
    return TIPS_OK;
}

tips_status tips__export_run(const tips_export_config *config, tips_export_result *out) {
    tips_loaded_model m = {0};
    tips_export_result result = {0};
    TIPS_TRY(tips__keep_input(config->model, config->out));
    if (tips__path_ends(config->out, ".safetensors"))
        TIPS_FAIL(TIPS_INVALID, "%s: what is exported is ONNX; name it .onnx", config->out);
    TIPS_TRY(tips__model_load(config->model, false, &m));
    const tips_status status = export_model(config, &m, &result);
    tips__loaded_model_destroy(&m);
    if (status == TIPS_OK) *out = result;
    return status;
}
