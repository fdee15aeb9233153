/* detections WEIGHTS ARCH BACKBONE CLASSES TASK HEIGHT WIDTH: what torchvision's detector with the weights of a file
 * finds in an input of raw floats (3, height, width) from standard input: left, top, right, bottom, score and class,
 * one box a line. Used by test_torchvision_detection.py. */
#include "core/fail.h"
#include "core/memory.h"
#include "metric/detection.h"
#include "model/model_file.h"
#include "task/outputs.h"

#include <stdio.h>
#include <stdlib.h>

static tips_status run(const tips_model *model, tips_net *net, const float *picture, tips_bytes *answer) {
    tips_output_room room;
    tips_outputs outputs;
    TIPS_TRY(tips__net_set_map(net, model->ends.input, picture));
    TIPS_TRY(tips__net_forward(net));
    TIPS_TRY(tips__output_room_create(model, 1, &room));
    tips_status status = tips__outputs_read(&room, net, 1, &outputs);
    if (status == TIPS_OK) status = model->assignment.spec.task->answer(&model->assignment, &outputs, 0, answer);
    tips__output_room_destroy(&room);
    return status;
}

static void print_boxes(const tips_bytes *answer) {
    const tips_detection *found = (const tips_detection *)(const void *)answer->data;
    for (size_t i = 0; i < answer->count / sizeof *found; i++)
        printf("%.9g %.9g %.9g %.9g %.9g %d\n", found[i].x, found[i].y, found[i].x + found[i].w,
               found[i].y + found[i].h, found[i].score, found[i].label);
}

static tips_status detect(const tips_model *model, const char *weights, const float *picture) {
    const tips_net_options options = {.n = 1, .algorithm = TIPS_ALGORITHM_EXACT};
    tips_params *params;
    tips_net *net = NULL;
    tips_bytes answer = {0};
    tips_weights_report report;
    TIPS_TRY(tips__params_create(model->graph, 1, &params));
    tips_status status = tips__weights_load(weights, params, TIPS_CLASSIFIER_TAKEN, &report);
    if (status == TIPS_OK) status = tips__net_compile(model->graph, params, &options, &net);
    if (status == TIPS_OK) status = run(model, net, picture, &answer);
    if (status == TIPS_OK) print_boxes(&answer);
    tips__bytes_clear(&answer);
    tips__net_destroy(net);
    tips__params_destroy(params);
    return status;
}

static tips_status open_model(char **argv, tips_arch_config *config, tips_model *out) {
    const tips_arch *arch;
    tips_task_spec task;
    TIPS_TRY(tips__arch_find(argv[2], &arch));
    TIPS_TRY(tips__arch_find(argv[3], &config->backbone));
    TIPS_TRY(tips__pool_parse("stride", 0, &config->pool));
    TIPS_TRY(tips__task_parse(argv[5], &task));
    return tips__model_create(arch, config, &task, false, out);
}

int main(int argc, char **argv) {
    if (argc != 8) return 2;
    tips_arch_config config = {.in_channels = 3,
                               .size = {atoi(argv[6]), atoi(argv[7])},
                               .classes = atoi(argv[4]),
                               .stem = TIPS_STEM_IMAGENET,
                               .padding = TIPS_PAD_ZERO};
    const size_t floats = 3 * (size_t)config.size[0] * (size_t)config.size[1];
    tips_model model;
    float *picture = NULL;
    tips_status status = open_model(argv, &config, &model);
    if (status == TIPS_OK) {
        status = tips__new(&picture, floats * sizeof *picture, "a picture");
        if (status == TIPS_OK && fread(picture, sizeof *picture, floats, stdin) != floats)
            status = tips__fail(TIPS_IO, "the picture is too short");
        if (status == TIPS_OK) status = detect(&model, argv[1], picture);
        tips__free(picture);
        tips__model_destroy(&model);
    }
    if (status == TIPS_OK) return 0;
    fprintf(stderr, "detections: %s\n", tips_last_error());
    return 1;
}
