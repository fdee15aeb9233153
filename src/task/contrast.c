/* Contrastive learning: an encoder whose features of two views of a picture (SimCLR), or of pictures of one class
 * (SupCon), are near to each other. The loss is taken of unit vectors that a small network, the projection, makes of
 * the features; it is for training alone. Row 0 of the metrics asks whether the features tell classes apart: whether a
 * picture's nearest other picture is of its class. */
#include "arch/parts.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "layer/layers.h"
#include "task/contrast_features.h"
#include "task/task.h"

#include <math.h>
#include <string.h>

enum { VIEWS = 2, SAID = 3 };
enum { FEATURES, PROJECTED }; /* outputs */

typedef enum contrast_kind { SIMCLR, SUPCON } contrast_kind;
static const char *const kind_names[] = {"simclr", "supcon", NULL};
static const double usual_temperatures[] = {0.5, 0.1};

typedef struct contrast_config {
    int kind;
    double temperature;
    int projection;
} contrast_config;
TIPS_TASK_CHECK_CONFIG(contrast_config);

static const tips_option options[] = {
    {.name = "kind",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(contrast_config, kind),
     .fallback = "simclr",
     .choices = kind_names,
     .help = "what belongs together: simclr: the views of a picture; supcon: all views of all pictures of a class"},
    {.name = "temperature",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(contrast_config, temperature),
     .fallback = "0",
     .min = 0,
     .max = 1000,
     .help = "what products of vectors are divided by; 0 means 0.5 for simclr and 0.1 for supcon"},
    {.name = "projection",
     .type = TIPS_OPT_INT,
     .offset = offsetof(contrast_config, projection),
     .fallback = "128",
     .min = 1,
     .max = 4096,
     .help = "length of the vectors that the loss is taken of"},
    {.type = TIPS_OPT_END},
};

static tips_status target(const tips_assignment *a, const tips_annotation *annotation, const tips_move *move,
                          tips_bytes *out) {
    (void)a, (void)move;
    TIPS_TRY(tips__bytes_resize(out, sizeof(int32_t)));
    memcpy(out->data, &annotation->label, sizeof(int32_t));
    return TIPS_OK;
}

static void head(const tips_assignment *a, tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                 const tips_features *features, tips_ends *ends) {
    const contrast_config *c = tips__task_config(a);
    (void)config;
    if (features->whole != TIPS_NO_VALUE) {
        tips__graph_fail(graph, tips__fail(TIPS_INVALID,
                                           "--task contrast learns a backbone, and the network '%s' came "
                                           "with its head; give one of 'tips list archs'",
                                           arch->name));
        return;
    }
    const tips_value mean = ends->outputs[FEATURES] = tips__part_mean(graph, features);
    tips_value z = tips__part_linear(graph, "projection.0", tips__value(graph, mean)->c, mean);
    z = tips__part_linear(graph, "projection.2", c->projection, tips__relu(graph, "projection.1", z));
    ends->outputs[PROJECTED] = tips__graph_add(graph, &tips__layer_unit, "projection.3", NULL, &z, 1);
    ends->n_outputs = PROJECTED + 1;
}

static void loss(const tips_assignment *a, tips_graph *graph, tips_ends *ends) {
    const contrast_config *c = tips__task_config(a);
    const tips_contrast config = {c->temperature > 0 ? c->temperature : usual_temperatures[c->kind]};
    const tips_value number = ends->targets[ends->n_targets++] = tips__graph_index_input(graph, "number", 1, 1, 1);
    ends->loss = tips__graph_add(graph, &tips__layer_contrast, "loss", &config,
                                 (const tips_value[]){ends->outputs[PROJECTED], number}, 2);
    tips__graph_loss(graph, ends->loss, 1);
}

static int32_t label_in(const tips_bytes *truth) {
    int32_t label;
    memcpy(&label, truth->data, sizeof label);
    return label;
}

/* The views of a picture are samples in a row. */
static tips_status put(const tips_assignment *a, tips_net *net, const tips_ends *ends, const tips_bytes *targets, int n,
                       tips_bytes *room) {
    const contrast_config *c = tips__task_config(a);
    TIPS_TRY(tips__bytes_resize(room, (size_t)n * sizeof(int32_t)));
    int32_t *numbers = (int32_t *)(void *)room->data;
    for (int i = 0; i < n; i++) numbers[i] = c->kind == SUPCON ? label_in(&targets[i]) : i / VIEWS;
    return tips__net_set_index(net, ends->targets[0], numbers);
}

/* The features at length 1. */
static tips_status answer(const tips_assignment *a, const tips_outputs *outputs, int i, tips_bytes *out) {
    const size_t count = outputs->floats[FEATURES];
    (void)a;
    TIPS_TRY(tips__bytes_resize(out, count * sizeof(float)));
    tips__features_unit(outputs->values[FEATURES] + (size_t)i * count, count, (float *)(void *)out->data);
    return TIPS_OK;
}

/* By the cosine of the angle between both. No answer is right or wrong, so all that agrees counts as right. */
static tips_agreement agree(const tips_assignment *a, tips_answer_at x, tips_answer_at y, const tips_bytes *truth) {
    const size_t count = x.answer->count / sizeof(float);
    (void)a, (void)truth;
    if (memcmp(x.answer->data, y.answer->data, x.answer->count) == 0) return (tips_agreement){1, 1};
    const double cosine = tips__features_product((const float *)(const void *)x.answer->data,
                                                 (const float *)(const void *)y.answer->data, count);
    const double part = fmin(fmax(cosine, 0), 1);
    return (tips_agreement){part, part};
}

static void say(const tips_assignment *a, const tips_bytes *given, char *const *classes, tips_text *out) {
    const float *at = (const float *)(const void *)given->data;
    const size_t count = given->count / sizeof(float);
    (void)a, (void)classes;
    for (size_t i = 0; i < count && i < SAID; i++) tips__text_print(out, "%s%.2f", i ? ", " : "(", at[i]);
    tips__text_add(out, count > SAID ? ", ...)" : ")");
}

enum { NEIGHBOUR, METRICS };

static const tips_metric metrics[METRICS + 1] = {
    [NEIGHBOUR] = {.name = "neighbour",
                   .kind = TIPS_SHIFT_KINDS,
                   .need = TIPS_NEEDS_NOTHING,
                   .unit = "%",
                   .better = TIPS_HIGHER,
                   .heading = "neighbour",
                   .column = "neighbour",
                   .title = "neighbour",
                   .label = "neighbour of the same class",
                   .help = "of all other pictures, the one with the nearest features is of the same class",
                   .where = TIPS_IN_VALIDATION},
};

/* A score is the class of a picture and its features at length 1: which is the nearest is known once all are there. */
static tips_status score_of(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *truth,
                            tips_bytes *out) {
    const size_t count = outputs->floats[FEATURES];
    (void)a;
    TIPS_TRY(tips__bytes_resize(out, sizeof(int32_t) + count * sizeof(float)));
    memcpy(out->data, truth->data, sizeof(int32_t));
    tips__features_unit(outputs->values[FEATURES] + (size_t)i * count, count,
                        (float *)(void *)(out->data + sizeof(int32_t)));
    return TIPS_OK;
}

static const float *features_in(const tips_bytes *score) {
    return (const float *)(const void *)(score->data + sizeof(int32_t));
}

/* The first of those that are equally near. */
static int nearest_of(const tips_bytes *scores, int n, int i) {
    const size_t count = (scores[i].count - sizeof(int32_t)) / sizeof(float);
    double best = -INFINITY;
    int nearest = i;
    for (int j = 0; j < n; j++) {
        if (j == i) continue;
        const double near = tips__features_product(features_in(&scores[i]), features_in(&scores[j]), count);
        if (near > best) best = near, nearest = j;
    }
    return nearest;
}

static tips_status figures(const tips_assignment *a, const tips_bytes *scores, int n, tips_figure *out) {
    int64_t right = 0;
    int *nearest; /* (n) */
    (void)a;
    if (n < 2) return TIPS_OK;
    TIPS_TRY(tips__new(&nearest, (size_t)n * sizeof *nearest, "the neighbours of pictures"));
    TIPS_PARALLEL_FOR (i, n) nearest[i] = nearest_of(scores, n, i);
    for (int i = 0; i < n; i++) right += label_in(&scores[nearest[i]]) == label_in(&scores[i]);
    tips__free(nearest);
    out[NEIGHBOUR] = tips__proportion(right, n);
    return TIPS_OK;
}

const tips_task tips__task_contrast = {
    .name = "contrast",
    .brief = "features that are alike for views of a picture, or for pictures of a class (SimCLR, SupCon)",
    .flags = TIPS_TASK_GRADED,
    .options = options,
    .config_size = sizeof(contrast_config),
    .needs = TIPS_ANNOTATES_CLASS,
    .views = VIEWS,
    .target = target,
    .head = head,
    .loss = loss,
    .put = put,
    .answer = answer,
    .agree = agree,
    .say = say,
    .metrics = metrics,
    .score = score_of,
    .figures = figures,
};
