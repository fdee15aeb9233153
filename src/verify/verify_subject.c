/* What is verified: an architecture or an operator alone, with random weights or those of a file, and its image. */
#include "verify/verify_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/dataset.h"
#include "image/image_read.h"
#include "image/natural_image.h"
#include "layer/layers.h"
#include "model/settle_statistics.h"

static void swap_planes(float *a, float *b, size_t plane) {
    for (size_t i = 0; i < plane; i++) {
        const float value = a[i];
        a[i] = b[i];
        b[i] = value;
    }
}

/* From 0..1 to what the network sees. A channel beyond the third is treated like the third. */
static void normalise(const verify_subject *s, size_t plane) {
    for (int c = 0; c < s->config.in_channels; c++) {
        const bool is_given = s->std[0] > 0;
        const float mean = is_given ? s->mean[c < 3 ? c : 2] : 0.5f, std = is_given ? s->std[c < 3 ? c : 2] : 0.25f;
        float *x = s->image + (size_t)c * plane;
        for (size_t i = 0; i < plane; i++) x[i] = (x[i] - mean) / std;
    }
}

/* Of the test set, or of the validation data where there is none, as in tips eval. */
static tips_status read_from_set(const tips_verify_config *config, tips_image *out) {
    tips_dataset *set;
    int label;
    TIPS_TRY(tips__dataset_open(config->data, &(tips_dataset_options){.seed = (uint64_t)config->model.seed}, &set));
    const tips_split split = tips__dataset_count(set, TIPS_SPLIT_TEST) > 0 ? TIPS_SPLIT_TEST : TIPS_SPLIT_VAL;
    const tips_status status = tips__dataset_read(set, split, config->picture, out, &label);
    tips__dataset_close(set);
    return status;
}

tips_status tips__verify_subject_image(const tips_verify_config *config, verify_subject *s) {
    const int c = s->config.in_channels, h = s->config.size[0], w = s->config.size[1];
    const size_t elements = (size_t)c * (size_t)h * (size_t)w;
    TIPS_TRY(tips__new(&s->image, elements * sizeof *s->image, "the input"));
    if (config->image || config->data) {
        tips_image image;
        TIPS_TRY(config->image ? tips__image_read(config->image, &image) : read_from_set(config, &image));
        tips__image_fit(&image, c, h, w, s->image);
        tips__image_free(&image);
    } else {
        tips__natural_image((uint64_t)config->model.seed, c, h, w, s->image);
    }
    const size_t plane = (size_t)h * (size_t)w;
    if (s->bgr) swap_planes(s->image, s->image + (size_t)(c - 1) * plane, plane);
    normalise(s, plane);
    return TIPS_OK;
}

static tips_status build_network(const tips_verify_config *config, verify_subject *s) {
    tips_model model;
    tips_task_spec task;
    TIPS_TRY(tips__task_parse(config->model.task, &task));
    TIPS_TRY(tips__model_create(s->arch, &s->config, &task, false, &model));
    s->graph = model.graph;
    s->input = model.ends.input;
    s->logits = model.ends.outputs[0];
    return TIPS_OK;
}

/* [LPF-n], operator, global average: the averages stand in for logits. */
static tips_status build_alone(const tips_verify_config *config, verify_subject *s) {
    TIPS_TRY(tips__graph_create(&s->graph));
    s->input = tips__graph_input(s->graph, "input", s->config.in_channels, s->config.size[0], s->config.size[1]);
    const int stride[2] = {config->stride[0] ? config->stride[0] : 2, config->stride[1] ? config->stride[1] : 2};
    const tips_value y =
        tips__pool_add(s->graph, "pool", &s->config.pool, stride, s->config.padding, s->input, NULL, NULL);
    s->logits = tips__graph_add(s->graph, &tips__layer_global_avg, "avgpool", NULL, &y, 1);
    tips__graph_output(s->graph, s->logits);
    return tips__graph_status(s->graph);
}

static tips_status resolve_alone(const tips_verify_config *config, tips_arch_config *out) {
    const tips_model_options *o = &config->model;
    tips_arch_config c = {.in_channels = o->channels,
                          .size = {o->size[0], o->size[1]},
                          .classes = o->channels,
                          .padding = (tips_pad_mode)o->padding};
    TIPS_TRY(tips__pool_parse(o->pool, o->lpf, &c.pool));
    if (o->threads > 0) tips__threads_set(o->threads);
    *out = c;
    return TIPS_OK;
}

static tips_status check_files(const tips_verify_config *config) {
    if (config->model_file && config->weights)
        TIPS_FAIL(TIPS_INVALID, "a model has its own weights; give one or the other");
    if (config->alone)
        TIPS_FAIL(TIPS_INVALID, "an operator alone takes no file; give a network, or leave the file out");
    return TIPS_OK;
}

static tips_status check_flags(const tips_verify_config *config) {
    if (!config->alone && (config->stride[0] || config->stride[1]))
        TIPS_FAIL(TIPS_INVALID, "--stride is of an operator --alone; the strides of an architecture are its own");
    if (config->image && config->data) TIPS_FAIL(TIPS_INVALID, "--image and --data: one input is verified; give one");
    if (!config->data && config->picture)
        TIPS_FAIL(TIPS_INVALID, "--picture is a number in --data, which is not given");
    return TIPS_OK;
}

tips_status tips__verify_subject_build(const tips_verify_config *config, verify_subject *s) {
    *s = (verify_subject){.input = TIPS_NO_VALUE, .logits = TIPS_NO_VALUE};
    TIPS_TRY(check_flags(config));
    if (config->model_file || config->weights) TIPS_TRY(check_files(config));
    if (config->model_file) return tips__verify_subject_load(config, s);
    if (config->alone) {
        TIPS_TRY(resolve_alone(config, &s->config));
        return build_alone(config, s);
    }
    TIPS_TRY(tips__model_options_resolve(&config->model, &s->arch, &s->config));
    return build_network(config, s);
}

tips_status tips__verify_subject_fill(const tips_verify_config *config, verify_subject *s) {
    const uint64_t seed = (uint64_t)config->model.seed;
    TIPS_TRY(tips__verify_subject_image(config, s));
    if (s->params) return TIPS_OK;
    TIPS_TRY(tips__params_create(s->graph, seed, &s->params));
    if (config->weights) return tips__verify_subject_weights(config, s);
    return tips__settle_statistics(s->graph, s->params, s->input, seed);
}

void tips__verify_subject_destroy(verify_subject *s) {
    tips__params_destroy(s->params);
    tips__graph_destroy(s->graph);
    tips__free(s->image);
}
