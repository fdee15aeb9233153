/* onnx_logits MODEL IN.npy OUT.npy: the logits (n, classes) of a network from an ONNX file for pictures (n, c, h, w).
 * With --steps instead of the two files: what the network was read as. Used by test_onnx_torch.py. */
#include "exchange/npy.h"
#include "onnx/onnx_import.h"
#include "support/run_model.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static tips_status set_weights(const tips_imported *imported, tips_params *params) {
    for (int i = 0; i < params->count; i++) {
        const char *name = tips__graph_param(params->graph, i)->name;
        const tips_imported_tensor *found = NULL;
        for (int k = 0; k < imported->n_tensors; k++)
            if (strcmp(imported->tensors[k].name, name) == 0) found = &imported->tensors[k];
        if (!found || found->elements != tips__param_elements(tips__graph_param(params->graph, i)))
            TIPS_FAIL(TIPS_SHAPE, "no tensor for parameter '%s'", name);
        tips__param_set(params, i, found->data);
    }
    if (params->count != imported->n_tensors)
        TIPS_FAIL(TIPS_SHAPE, "%d tensors are left over", imported->n_tensors - params->count);
    return TIPS_OK;
}

static tips_status run(const tips_imported *imported, tips_model *model, const tips_npy *in, const char *to) {
    tips_params *params;
    float *logits;
    const int n = (int)in->dims[0], classes = imported->blueprint->classes;
    const int64_t dims[] = {n, classes};
    model->ends.input = tips__graph_input(model->graph, "input", (int)in->dims[1], (int)in->dims[2], (int)in->dims[3]);
    model->ends.outputs[0] = tips__blueprint_build(model->graph, imported->blueprint, model->ends.input, NULL);
    tips__graph_output(model->graph, model->ends.outputs[0]);
    TIPS_TRY(tips__graph_status(model->graph));
    TIPS_TRY(tips__params_create(model->graph, 1, &params));
    TIPS_TRY(set_weights(imported, params));
    TIPS_TRY(tips__new(&logits, (size_t)n * (size_t)classes * sizeof *logits, "logits"));
    TIPS_TRY(run_model(model, params, in->data, n, logits));
    TIPS_TRY(tips__npy_write(to, 2, dims, logits));
    tips__free(logits);
    tips__params_destroy(params);
    return TIPS_OK;
}

static void print_steps(const tips_imported *imported) {
    for (int i = 0; i < imported->blueprint->n_steps; i++) {
        const tips_step *step = &imported->blueprint->steps[i];
        printf("%d %s %s", i, step->name, step->layer->name);
        for (int k = 0; k < step->n_in; k++) printf(" %d", step->in[k]);
        printf("\n");
    }
}

int main(int argc, char **argv) {
    tips_imported imported;
    tips_npy in;
    tips_model model = {0};
    if (argc < 3) return 2;
    tips_status status = TIPS_OK;
    if (strcmp(argv[2], "--steps") == 0) {
        status = tips__onnx_import(argv[1], NULL, &imported);
        if (status == TIPS_OK) print_steps(&imported);
    } else {
        status = argc > 3 ? tips__npy_read(argv[2], &in) : TIPS_INVALID;
        const int hint[2] = {status == TIPS_OK ? (int)in.dims[2] : 0, status == TIPS_OK ? (int)in.dims[3] : 0};
        if (status == TIPS_OK) status = tips__onnx_import(argv[1], hint, &imported);
        if (status == TIPS_OK) status = tips__graph_create(&model.graph);
        if (status == TIPS_OK) status = run(&imported, &model, &in, argv[3]);
        if (status == TIPS_OK) tips__npy_free(&in), tips__model_destroy(&model);
    }
    if (status == TIPS_OK) {
        tips__imported_free(&imported);
        return 0;
    }
    fprintf(stderr, "onnx_logits: %s\n", tips_last_error());
    return 1;
}
