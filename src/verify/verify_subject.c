/* What is verified: an architecture or an operator alone, with random weights or those of a file, and its image. */
#include "verify/verify_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"
#include "image/image_read.h"
#include "image/natural_image.h"
#include "layer/layers.h"
#include "model/open_model.h"
#include "model/settle_statistics.h"

static void swap_planes(float *a, float *b, size_t plane) {
    for (size_t i = 0; i < plane; i++) {
        const float value = a[i];
        a[i] = b[i];
        b[i] = value;
    }
}

/* From 0..1 to what the network sees. A channel beyond the third is treated like the third. */
static void normalise(const tips_model_info *info, size_t plane, float *x) {
    for (int c = 0; c < info->config.in_channels; c++) {
        const float mean = info->mean[c < 3 ? c : 2], std = info->std[c < 3 ? c : 2];
        for (size_t i = 0; i < plane; i++, x++) *x = (*x - mean) / std;
    }
}

/* Has any number of channels. */
static void draw_natural(const tips_model_info *info, uint64_t seed, float *out) {
    const int c = info->config.in_channels, h = info->config.size[0], w = info->config.size[1];
    const size_t plane = (size_t)h * (size_t)w;
    tips__natural_image(seed, c, h, w, out);
    if (info->bgr) swap_planes(out, out + (size_t)(c - 1) * plane, plane);
    normalise(info, plane, out);
}

/* Of the test set, or of the validation data where there is none; of a set that names no split, of all pictures. */
static tips_status read_from_set(const tips_verify_config *config, tips_image *out) {
    const tips_dataset_options options = {.whole = true, .seed = (uint64_t)config->model.seed};
    tips_dataset *set;
    int label;
    TIPS_TRY(tips__dataset_open(config->data, &options, &set));
    const tips_split split = tips__dataset_count(set, TIPS_SPLIT_TEST) > 0 ? TIPS_SPLIT_TEST : TIPS_SPLIT_VAL;
    const tips_status status = tips__dataset_read(set, split, config->picture, out, &label);
    tips__dataset_close(set);
    return status;
}

static tips_status take_picture(const tips_verify_config *config, const tips_model_info *info, float *out) {
    tips_image picture;
    TIPS_TRY(config->image ? tips__image_read(config->image, &picture) : read_from_set(config, &picture));
    const tips_preprocess p = tips__model_preprocess(info);
    const tips_status status = tips__preprocess(&p, &picture, 0, 0, false, out);
    tips__image_free(&picture);
    return status;
}

static bool has_picture(const tips_verify_config *config) { return config->image || config->data; }

tips_status tips__verify_subject_image(const tips_verify_config *config, verify_subject *s) {
    const tips_arch_config *c = &s->info.config;
    const size_t elements = (size_t)c->in_channels * (size_t)c->size[0] * (size_t)c->size[1];
    TIPS_TRY(tips__new(&s->image, elements * sizeof *s->image, "the input"));
    if (has_picture(config)) return take_picture(config, &s->info, s->image);
    draw_natural(&s->info, (uint64_t)config->model.seed, s->image);
    return TIPS_OK;
}

static tips_status build_network(verify_subject *s) {
    return tips__model_create(s->info.arch, &s->info.config, &s->info.task, false, &s->model);
}

static tips_status describe_alone(const tips_verify_config *config, tips_model_info *info) {
    const tips_model_options o = tips__input_sized(&config->input, &config->model);
    tips__model_info_init(info);
    TIPS_TRY(tips__model_options_read(&o, &info->config));
    info->config.classes = o.channels;
    info->fit_inside = true;
    return tips__input_describe(&config->input, info);
}

/* [LPF-n], operator, global average: the averages stand in for logits. */
static tips_status build_alone(const tips_verify_config *config, verify_subject *s) {
    const tips_arch_config *c = &s->info.config;
    const int stride[2] = {config->stride[0] ? config->stride[0] : 2, config->stride[1] ? config->stride[1] : 2};
    tips_graph **graph = &s->model.graph;
    TIPS_TRY(tips__graph_create(graph));
    s->model.assignment =
        (tips_assignment){.spec = tips__task_default(), .classes = c->classes, .size = {c->size[0], c->size[1]}};
    s->model.ends.input = tips__graph_input(*graph, "input", c->in_channels, c->size[0], c->size[1]);
    const tips_value y = tips__pool_add(*graph, "pool", &c->pool, stride, c->padding, s->model.ends.input, NULL, NULL);
    s->model.ends.outputs[s->model.ends.n_outputs++] =
        tips__graph_add(*graph, &tips__layer_global_avg, "avgpool", NULL, &y, 1);
    tips__graph_output(*graph, s->model.ends.outputs[0]);
    return tips__graph_status(*graph);
}

static tips_status check_files(const tips_verify_config *config) {
    if (config->model_file && config->weights)
        TIPS_FAIL(TIPS_INVALID, "a model has its own weights; give one or the other");
    if (config->alone)
        TIPS_FAIL(TIPS_INVALID, "an operator alone takes no file; give a network, or leave the file out");
    return TIPS_OK;
}

/* The first way to place pictures that is asked for; NULL if none is. */
static const tips_option *find_idle_placement(const tips_input_options *input) {
    const tips_placement *p = &input->placement;
    const int values[] = {p->fit[0], p->filter, p->pad, p->place, p->stretch, p->letterbox};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] || tips__given_has(&input->given, tips__placement_rows[i].name)) return &tips__placement_rows[i];
    return NULL;
}

/* A flag that changes nothing is a misunderstanding. */
static tips_status check_flags(const tips_verify_config *config) {
    const tips_given *given = &config->given;
    if (!config->alone && (config->stride[0] || config->stride[1] || tips__given_has(given, "stride")))
        TIPS_FAIL(TIPS_INVALID, "--stride is of an operator --alone; the strides of an architecture are its own");
    if (config->image && config->data) TIPS_FAIL(TIPS_INVALID, "--image and --data: one input is verified; give one");
    if (!config->data && (config->picture || tips__given_has(given, "picture")))
        TIPS_FAIL(TIPS_INVALID, "--picture is a number in --data, which is not given");
    if (!has_picture(config) && config->input.resize)
        TIPS_FAIL(TIPS_INVALID, "--resize is of pictures; give one with --image or --data");
    const tips_option *idle = find_idle_placement(&config->input);
    if (!has_picture(config) && idle)
        TIPS_FAIL(TIPS_INVALID, "--%s is of pictures; give one with --image or --data", idle->name);
    if (config->input.labels) TIPS_FAIL(TIPS_INVALID, "--labels names classes, and verify shows none; leave it out");
    return TIPS_OK;
}

static tips_status check_channels(const tips_verify_config *config, int channels) {
    if (!has_picture(config) || channels == 1 || channels == 3) return TIPS_OK;
    TIPS_FAIL(TIPS_INVALID,
              "--%s: pictures have 1 or 3 channels, and the input %d; without it a natural-like one of %d is made",
              config->image ? "image" : "data", channels, channels);
}

static tips_status build(const tips_verify_config *config, verify_subject *s) {
    if (config->model_file) return tips__verify_subject_load(config, s);
    if (config->alone) TIPS_TRY(describe_alone(config, &s->info));
    else TIPS_TRY(tips__random_model_info(&config->model, &config->input, &s->info));
    return config->alone ? build_alone(config, s) : build_network(s);
}

tips_status tips__verify_subject_build(const tips_verify_config *config, verify_subject *s) {
    *s = (verify_subject){.model = TIPS_NO_MODEL};
    TIPS_TRY(check_flags(config));
    if (config->model_file || config->weights) TIPS_TRY(check_files(config));
    TIPS_TRY(build(config, s));
    return check_channels(config, s->info.config.in_channels);
}

tips_status tips__verify_subject_fill(const tips_verify_config *config, verify_subject *s) {
    const uint64_t seed = (uint64_t)config->model.seed;
    TIPS_TRY(tips__verify_subject_image(config, s));
    if (s->params) return TIPS_OK;
    TIPS_TRY(tips__params_create(s->model.graph, seed, &s->params));
    if (config->weights) return tips__verify_subject_weights(config, s);
    return tips__settle_statistics(s->model.graph, s->params, s->model.ends.input, seed);
}

void tips__verify_subject_destroy(verify_subject *s) {
    tips__params_destroy(s->params);
    tips__model_destroy(&s->model);
    tips__model_info_clear(&s->info);
    tips__free(s->image);
}
