/* onnx_outputs MODEL IN.npy PREFIX: all outputs of a network from an ONNX file for one picture, (1, c, h, w) or (c, h,
 * w), as floats in PREFIX0.npy, PREFIX1.npy, ... Prints what was a layer and what was left to the program. Used by
 * tests of detectors. */
#include "exchange/npy.h"
#include "onnx/onnx_import.h"
#include "support/run_model.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum { MOST_OUTPUTS = 64 };

static tips_status set_weights(const tips_imported *imported, tips_params *params) {
    for (int i = 0; i < params->count; i++) {
        const char *name = tips__graph_param(params->graph, i)->name;
        const tips_imported_tensor *found = NULL;
        for (int k = 0; k < imported->n_tensors; k++)
            if (strcmp(imported->tensors[k].name, name) == 0) found = &imported->tensors[k];
        if (!found) TIPS_FAIL(TIPS_SHAPE, "no tensor for parameter '%s'", name);
        tips__param_set(params, i, found->data);
    }
    return TIPS_OK;
}

static tips_status write_outputs(const tips_program *program, const float *const *maps, const char *prefix) {
    tips_array outputs[MOST_OUTPUTS];
    const int count = tips__program_output_count(program);
    if (count > MOST_OUTPUTS) TIPS_FAIL(TIPS_RANGE, "%d outputs", count);
    TIPS_TRY(tips__program_run(program, maps, outputs));
    for (int i = 0; i < count; i++) {
        char path[512], shape[128];
        tips_array *a = &outputs[i];
        float *floats;
        TIPS_TRY(tips__new(&floats, (a->count + 1) * sizeof *floats, "an output"));
        for (size_t k = 0; k < a->count; k++) floats[k] = a->floats ? a->floats[k] : (float)a->ints[k];
        snprintf(path, sizeof path, "%s%d.npy", prefix, i);
        tips__array_describe(a, shape, sizeof shape);
        printf("output %s: %s\n", tips__program_output_name(program, i), shape);
        TIPS_TRY(tips__npy_write(path, a->n_dims, a->dims, floats));
        tips__free(floats);
        tips__array_free(a);
    }
    return TIPS_OK;
}

static tips_status run(const tips_imported *imported, tips_model *model, const tips_npy *in, const char *prefix) {
    const tips_blueprint *b = imported->blueprint;
    const int64_t *dims = in->dims + in->n_dims - 3;
    float *maps[TIPS_BLUEPRINT_OUTPUTS] = {NULL};
    tips_value *values;
    tips_params *params;
    tips_net *net;
    TIPS_TRY(tips__new(&values, (size_t)b->n_steps * sizeof *values, "values"));
    const tips_value input = tips__graph_input(model->graph, "input", (int)dims[0], (int)dims[1], (int)dims[2]);
    tips__blueprint_build(model->graph, b, input, values);
    for (int i = 0; i < b->n_outputs; i++) tips__graph_output(model->graph, values[b->outputs[i]]);
    TIPS_TRY(tips__graph_status(model->graph));
    TIPS_TRY(tips__params_create(model->graph, 1, &params));
    TIPS_TRY(set_weights(imported, params));
    TIPS_TRY(tips__net_compile(model->graph, params, &(tips_net_options){.n = 1}, &net));
    TIPS_TRY(tips__net_set_map(net, input, in->data));
    TIPS_TRY(tips__net_forward(net));
    printf("%d layers, %d maps, %d nodes behind them\n", b->n_steps, b->n_outputs,
           tips__program_node_count(b->program));
    for (int i = 0; i < b->n_outputs; i++) {
        const tips_value_info *info = tips__value(model->graph, values[b->outputs[i]]);
        TIPS_TRY(tips__new(&maps[i], (size_t)info->c * (size_t)info->h * (size_t)info->w * sizeof **maps, "a map"));
        TIPS_TRY(tips__net_get_map(net, values[b->outputs[i]], maps[i]));
        printf("map %s: %dx%dx%d\n", b->steps[b->outputs[i]].name, info->c, info->h, info->w);
    }
    TIPS_TRY(write_outputs(b->program, (const float *const *)maps, prefix));
    for (int i = 0; i < b->n_outputs; i++) tips__free(maps[i]);
    tips__net_destroy(net);
    tips__params_destroy(params);
    tips__free(values);
    return TIPS_OK;
}

int main(int argc, char **argv) {
    tips_imported imported = {0};
    tips_npy in = {0};
    tips_model model = {0};
    tips_onnx *file;
    if (argc != 4) return 2;
    tips_status status = tips__npy_read(argv[2], &in);
    const int hint[2] = {status == TIPS_OK ? (int)in.dims[in.n_dims - 2] : 0,
                         status == TIPS_OK ? (int)in.dims[in.n_dims - 1] : 0};
    if (status == TIPS_OK) status = tips__onnx_open(argv[1], &file);
    if (status == TIPS_OK) status = tips__onnx_import_program(file, hint, &imported);
    if (status == TIPS_OK) status = tips__graph_create(&model.graph);
    if (status == TIPS_OK) status = run(&imported, &model, &in, argv[3]);
    tips__npy_free(&in);
    tips__model_destroy(&model);
    if (status == TIPS_OK) {
        tips__imported_free(&imported);
        return 0;
    }
    fprintf(stderr, "onnx_outputs: %s\n", tips_last_error());
    return 1;
}
