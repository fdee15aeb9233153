/* attack_gradient MODEL PICTURES.npy LABELS.npy OUT.npy: how the cross-entropy of each picture (n, c, h, w), numbers in
 * 0..1 before they are normalised, changes with each of them. Used by test_attack_torch.py. */
#include "attack/gradient_net.h"
#include "exchange/npy.h"
#include "model/open_model.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>

static tips_status fill_targets(const tips_npy *labels, tips_bytes *targets) {
    for (size_t i = 0; i < labels->elements; i++) {
        TIPS_TRY(tips__bytes_resize(&targets[i], sizeof(int32_t)));
        *(int32_t *)(void *)targets[i].data = (int32_t)labels->data[i];
    }
    return TIPS_OK;
}

/* In a batch larger than there are pictures, so that a part of it is nobody's. */
static tips_status run(const tips_loaded_model *model, const tips_npy *in, const tips_npy *labels, const char *to) {
    const int n = (int)in->dims[0];
    tips_gradient_net *net;
    tips_bytes *targets;
    tips_hardness *hardness;
    float *gradients;
    TIPS_TRY(tips__new_zero(&targets, (size_t)n * sizeof *targets, "targets"));
    TIPS_TRY(tips__new(&hardness, (size_t)n * sizeof *hardness, "hardness"));
    TIPS_TRY(tips__new(&gradients, in->elements * sizeof *gradients, "gradients"));
    TIPS_TRY(fill_targets(labels, targets));
    TIPS_TRY(tips__gradient_net_create(model, n + 1, &net));
    const tips_changed_pictures pictures = {n, NULL, targets, in->data};
    TIPS_TRY(tips__gradient_net_run(net, &pictures, hardness, gradients));
    TIPS_TRY(tips__npy_write(to, in->n_dims, in->dims, gradients));
    tips__gradient_net_destroy(net);
    for (int i = 0; i < n; i++) tips__bytes_clear(&targets[i]);
    tips__free(targets);
    tips__free(hardness);
    tips__free(gradients);
    return TIPS_OK;
}

static tips_status run_files(char **words) {
    const tips_model_options options = {0};
    tips_npy in, labels;
    TIPS_TRY(tips__npy_read(words[1], &in));
    TIPS_TRY(tips__npy_read(words[2], &labels));
    const tips_input_options input = {.size = {(int)in.dims[2], (int)in.dims[3]}};
    tips_loaded_model model;
    TIPS_TRY(tips__open_model(words[0], &options, &input, &model));
    const tips_status status = run(&model, &in, &labels, words[3]);
    tips__loaded_model_destroy(&model);
    tips__npy_free(&in);
    tips__npy_free(&labels);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    const tips_status status = run_files(argv + 1);
    if (status != TIPS_OK) fprintf(stderr, "%s\n", tips_last_error());
    return status != TIPS_OK;
}
