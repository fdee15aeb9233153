/* detection_losses WEIGHTS ARCH BACKBONE CLASSES TASK HEIGHT WIDTH [LEFT TOP RIGHT BOTTOM CLASS]...: the losses of
 * torchvision's detector with the weights of a file and frozen norms, for an input of raw floats (3, height, width)
 * from standard input and the things in it: "name value", one a line. Of networks that draw what they learn from, also
 * "anchor NUMBER thing|nothing" and "region LEFT TOP RIGHT BOTTOM". Used by test_torchvision_detection.py. */
#include "core/fail.h"
#include "core/memory.h"
#include "layer/detection_layers.h"
#include "model/model_file.h"
#include "task/detect_score.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_THING = 8, WORDS = 5 };

static tips_status read_things(char **words, int n, const int size[2], tips_bytes *out) {
    tips_box *things;
    TIPS_TRY(tips__new_zero(&things, (size_t)n * sizeof *things, "things"));
    for (int i = 0; i < n; i++, words += WORDS) {
        things[i].left = atof(words[0]), things[i].top = atof(words[1]);
        things[i].right = atof(words[2]), things[i].bottom = atof(words[3]);
        things[i].label = atoi(words[4]);
    }
    const tips_move move = tips__move_none(size);
    const tips_status status = tips__detect_target(&move, 0.5, things, n, out);
    tips__free(things);
    return status;
}

static tips_status print_losses(const tips_model *model, const tips_net *net) {
    for (int i = 0; i < tips__graph_node_count(model->graph); i++) {
        const tips_node *node = tips__graph_node(model->graph, i);
        float loss;
        if (!(node->layer->flags & TIPS_LAYER_LOSS)) continue;
        TIPS_TRY(tips__net_get_map(net, node->out[0], &loss));
        printf("%s %.9g\n", node->name, loss);
    }
    return TIPS_OK;
}

static const int32_t *find_index(const tips_model *model, const tips_net *net, const tips_layer *layer, int *rows) {
    for (int i = 0; i < tips__graph_node_count(model->graph); i++) {
        const tips_node *node = tips__graph_node(model->graph, i);
        if (node->layer != layer) continue;
        *rows = tips__value(model->graph, node->out[0])->h;
        return tips__net_index(net, node->out[0]);
    }
    *rows = 0;
    return NULL;
}

static void print_drawn(const tips_model *model, const tips_net *net) {
    int regions, anchors;
    const int32_t *region = find_index(model, net, &tips__layer_sample_rois, &regions);
    const int32_t *match = find_index(model, net, &tips__layer_match_anchors, &anchors);
    const double part = 1.0 / TIPS_PIXEL_PARTS;
    if (!region) return;
    for (int i = 0; i < anchors; i++)
        if (match[i] != TIPS_MATCH_IGNORED) printf("anchor %d %s\n", i, match[i] >= 0 ? "thing" : "nothing");
    for (int i = 0; i < regions; i++, region += TIPS_ROI_COLUMNS)
        if (region[4])
            printf("region %.9g %.9g %.9g %.9g\n", region[0] * part, region[1] * part, region[2] * part,
                   region[3] * part);
}

static tips_status run(const tips_model *model, tips_net *net, const float *picture, const tips_bytes *things) {
    tips_bytes room = {0};
    TIPS_TRY(tips__net_set_map(net, model->ends.input, picture));
    tips_status status = model->assignment.spec.task->put(&model->assignment, net, &model->ends, things, 1, &room);
    tips__bytes_clear(&room);
    if (status == TIPS_OK) status = tips__net_forward(net);
    if (status == TIPS_OK) print_drawn(model, net);
    return status == TIPS_OK ? print_losses(model, net) : status;
}

static tips_status learn(const tips_model *model, const char *weights, const float *picture, const tips_bytes *things) {
    const tips_net_options options = {.n = 1, .pass = {.batch_statistics = true, .losses = true}, .keep_all = true};
    tips_params *params;
    tips_net *net = NULL;
    tips_weights_report report;
    TIPS_TRY(tips__params_create(model->graph, 1, &params));
    tips_status status = tips__weights_load(weights, params, TIPS_CLASSIFIER_TAKEN, &report);
    if (status == TIPS_OK) status = tips__net_compile(model->graph, params, &options, &net);
    if (status == TIPS_OK) status = run(model, net, picture, things);
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
    TIPS_TRY(tips__norm_parse("batch:frozen=true", &config->norm));
    TIPS_TRY(tips__task_parse(argv[5], &task));
    return tips__model_create(arch, config, &task, true, out);
}

int main(int argc, char **argv) {
    if (argc < FIRST_THING || (argc - FIRST_THING) % WORDS) return 2;
    tips_arch_config config = {.in_channels = 3,
                               .size = {atoi(argv[6]), atoi(argv[7])},
                               .classes = atoi(argv[4]),
                               .stem = TIPS_STEM_IMAGENET,
                               .padding = TIPS_PAD_ZERO};
    const size_t floats = 3 * (size_t)config.size[0] * (size_t)config.size[1];
    tips_model model;
    tips_bytes things = {0};
    float *picture = NULL;
    tips_status status = open_model(argv, &config, &model);
    if (status == TIPS_OK) {
        status = tips__new(&picture, floats * sizeof *picture, "a picture");
        if (status == TIPS_OK)
            status = read_things(argv + FIRST_THING, (argc - FIRST_THING) / WORDS, config.size, &things);
        if (status == TIPS_OK && fread(picture, sizeof *picture, floats, stdin) != floats)
            status = tips__fail(TIPS_IO, "the picture is too short");
        if (status == TIPS_OK) status = learn(&model, argv[1], picture, &things);
        tips__free(picture);
        tips__bytes_clear(&things);
        tips__model_destroy(&model);
    }
    if (status == TIPS_OK) return 0;
    fprintf(stderr, "detection_losses: %s\n", tips_last_error());
    return 1;
}
