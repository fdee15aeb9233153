/* logits WEIGHTS HEIGHT WIDTH [ARCH [BACKBONE]]: the logits of torchvision's network with the weights of a file, one a
 * line, for the picture that make_picture makes. Used by test_torchvision.py. */
#include "model/model_file.h"
#include "support/run_model.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int classes_of(const char *path) {
    static const char *const names[] = {"fc.bias", "classifier.6.bias", "classifier.4.bias", "classifier.3.bias",
                                        "classifier.1.bias", "classifier.bias", "heads.head.bias", "head.bias"};
    tips_safetensors *file;
    if (tips__safetensors_open(path, &file) != TIPS_OK) return 0;
    int classes = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names && classes == 0; k++) {
        const int i = tips__safetensors_find(file, names[k]);
        if (i >= 0) classes = (int)tips__tensor_elements(tips__safetensors_entry(file, i));
    }
    tips__safetensors_close(file);
    return classes;
}

static tips_status compute(const tips_model *model, tips_params *params, const char *path, size_t elements,
                           float *buffer) {
    tips_weights_report report;
    TIPS_TRY(tips__weights_load(path, params, TIPS_CLASSIFIER_TAKEN, &report));
    make_picture(buffer, elements);
    return run_model(model, params, buffer, 1, buffer + elements);
}

static tips_status print_logits(const char *path, const char *arch_name, tips_arch_config *config) {
    const size_t elements = 3 * (size_t)config->size[0] * (size_t)config->size[1];
    const tips_arch *arch;
    tips_task_spec task;
    tips_model model;
    tips_params *params = NULL;
    float *buffer = NULL;
    TIPS_TRY(tips__arch_find(arch_name, &arch));
    TIPS_TRY(tips__pool_parse("stride", 0, &config->pool));
    TIPS_TRY(tips__task_parse(arch->task, &task));
    TIPS_TRY(tips__model_create(arch, config, &task, false, &model));
    const size_t logits = (size_t)config->classes * (arch->segment ? elements / 3 : 1);
    tips_status status = tips__params_create(model.graph, 1, &params);
    if (status == TIPS_OK)
        status = tips__new(&buffer, (elements + logits) * sizeof *buffer, "numbers");
    if (status == TIPS_OK) status = compute(&model, params, path, elements, buffer);
    for (size_t i = 0; i < logits && status == TIPS_OK; i++) printf("%.9g\n", buffer[elements + i]);
    tips__free(buffer);
    tips__params_destroy(params);
    tips__model_destroy(&model);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const char *arch = argc > 4 ? argv[4] : "resnet18";
    const bool is_transformer = strncmp(arch, "vit", 3) == 0 || strncmp(arch, "swin", 4) == 0;
    tips_arch_config config = {.in_channels = 3,
                               .size = {atoi(argv[2]), atoi(argv[3])},
                               .classes = classes_of(argv[1]),
                               .stem = is_transformer ? TIPS_STEM_AUTO : TIPS_STEM_IMAGENET,
                               .padding = TIPS_PAD_ZERO};
    tips_status status = argc > 5 ? tips__arch_find(argv[5], &config.backbone) : TIPS_OK;
    if (status == TIPS_OK) status = print_logits(argv[1], arch, &config);
    if (status == TIPS_OK) return 0;
    fprintf(stderr, "logits: %s\n", tips_last_error());
    return 1;
}
