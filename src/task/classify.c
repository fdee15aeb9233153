/* Classification: one of several classes for each picture. The target is its number, the answer the class with the
 * largest logit; the head is the architecture's own classifier. */
#include "task/classify.h"
#include "core/fail.h"
#include "layer/layers.h"
#include "metric/accuracy.h"
#include "task/slope.h"

#include <math.h>

typedef struct classify_config {
    double smoothing;
    bool mixed;
} classify_config;
TIPS_TASK_CHECK_CONFIG(classify_config);

static const tips_option options[] = {
    {.name = "smoothing",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(classify_config, smoothing),
     .fallback = "0",
     .min = 0,
     .max = 0.999,
     .help = "share of the target that is spread over all classes in training"},
    {.name = "mixed",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(classify_config, mixed),
     .fallback = "false",
     .help = "in training each picture is made of two and has the classes of both"},
    {.type = TIPS_OPT_END},
};

static const tips_metric metrics[TIPS_CLASSIFY_METRICS + 1] = {
    [TIPS_CLASSIFY_LOSS] = {.name = "loss",
                            .kind = TIPS_SHIFT_KINDS,
                            .need = TIPS_NEEDS_TRAINING,
                            .unit = "",
                            .better = TIPS_LOWER,
                            .axis = "cross-entropy",
                            .help = "cross-entropy on the validation data, without smoothing, after each epoch",
                            .where = TIPS_IN_VALIDATION},
    [TIPS_CLASSIFY_ACCURACY] = {.name = "accuracy",
                                .kind = TIPS_SHIFT_KINDS,
                                .need = TIPS_NEEDS_NOTHING,
                                .unit = "%",
                                .better = TIPS_HIGHER,
                                .heading = "accuracy",
                                .column = "accuracy",
                                .title = "accuracy",
                                .label = "accuracy (top-1)",
                                .help = "the answer to the unshifted picture is right",
                                .where = TIPS_IN_TRAINING | TIPS_IN_VALIDATION},
    [TIPS_CLASSIFY_TOP5] = {.name = "top5",
                            .kind = TIPS_SHIFT_KINDS,
                            .need = TIPS_NEEDS_NOTHING,
                            .unit = "%",
                            .better = TIPS_HIGHER,
                            .label = "accuracy (top-5)",
                            .help = "the right class is among the five best, of more than five"},
};

enum { TOP = 5 };

/* Of one sample, or summed. */
typedef struct score {
    double seen, loss;
    int64_t right, right5;
} score;

static int32_t number_in(const tips_bytes *bytes) { return *(const int32_t *)(const void *)bytes->data; }

static tips_status put_number(int32_t number, tips_bytes *out) {
    TIPS_TRY(tips__bytes_resize(out, sizeof number));
    *(int32_t *)(void *)out->data = number;
    return TIPS_OK;
}

static tips_status target(const tips_assignment *a, const tips_annotation *annotation, const tips_move *move,
                          tips_bytes *out) {
    (void)a, (void)move;
    return put_number(annotation->label, out);
}

static void head(const tips_assignment *a, tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                 const tips_features *features, tips_ends *ends) {
    (void)a;
    if (!arch->classify) {
        tips__graph_fail(
            graph, tips__fail(TIPS_INVALID, "%s answers for every pixel: it is for --task %s", arch->name, arch->task));
        return;
    }
    ends->outputs[ends->n_outputs++] = arch->classify(graph, arch, config, features);
}

static void loss(const tips_assignment *a, tips_graph *graph, tips_ends *ends) {
    const classify_config *c = tips__task_config(a);
    const tips_cross_entropy config = {.smoothing = c->smoothing};
    tips_value in[4] = {ends->outputs[0]};
    int n = 1;
    in[n++] = ends->targets[ends->n_targets++] = tips__graph_index_input(graph, "label", 1, 1, 1);
    if (c->mixed) {
        in[n++] = ends->targets[ends->n_targets++] = tips__graph_index_input(graph, "other", 1, 1, 1);
        in[n++] = ends->targets[ends->n_targets++] = tips__graph_input(graph, "share", 1, 1, 1);
    }
    ends->loss = tips__graph_add(graph, &tips__layer_cross_entropy, "loss", &config, in, n);
    tips__graph_loss(graph, ends->loss, 1);
}

static tips_status put(const tips_assignment *a, tips_net *net, const tips_ends *ends, const tips_bytes *targets, int n,
                       tips_bytes *room) {
    (void)a;
    TIPS_TRY(tips__bytes_resize(room, (size_t)n * sizeof(int32_t)));
    int32_t *labels = (int32_t *)(void *)room->data;
    for (int i = 0; i < n; i++) labels[i] = number_in(&targets[i]);
    return tips__net_set_index(net, ends->targets[0], labels);
}

static tips_status put_mixed(const tips_assignment *a, tips_net *net, const tips_ends *ends, const tips_bytes *targets,
                             const int *partners, const float *shares, int n, tips_bytes *room) {
    TIPS_TRY(put(a, net, ends, targets, n, room));
    int32_t *labels = (int32_t *)(void *)room->data;
    for (int i = 0; i < n; i++) labels[i] = number_in(&targets[partners[i]]);
    TIPS_TRY(tips__net_set_index(net, ends->targets[1], labels));
    return tips__net_set_map(net, ends->targets[2], shares);
}

static const float *logits_of(const tips_outputs *outputs, int i) {
    return outputs->values[0] + (size_t)i * outputs->floats[0];
}

static tips_status answer(const tips_assignment *a, const tips_outputs *outputs, int i, tips_bytes *out) {
    return put_number(tips__answer(logits_of(outputs, i), a->classes), out);
}

static tips_agreement agree(const tips_assignment *a, tips_answer_at x, tips_answer_at y, const tips_bytes *truth) {
    (void)a;
    const int32_t class_index = number_in(x.answer);
    const bool same = class_index == number_in(y.answer);
    return (tips_agreement){same, same && truth && class_index == number_in(truth)};
}

static void say(const tips_assignment *a, const tips_bytes *given, char *const *classes, tips_text *out) {
    (void)a;
    if (classes) tips__text_add(out, classes[number_in(given)]);
    else tips__text_print(out, "class %d", (int)number_in(given));
}

static int number_of(const tips_assignment *a, const tips_bytes *given) {
    (void)a;
    return number_in(given);
}

static double cross_entropy(const float *logits, int classes, int label) {
    const double most = logits[tips__answer(logits, classes)];
    double sum = 0;
    for (int c = 0; c < classes; c++) sum += exp(logits[c] - most);
    return most + log(sum) - logits[label];
}

static double slope(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *truth,
                    float *const *slopes) {
    const float *logits = logits_of(outputs, i);
    const int label = number_in(truth);
    tips__cross_entropy_slope(logits, 1, a->classes, label, slopes[0]);
    return cross_entropy(logits, a->classes, label);
}

static tips_status score_of(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *truth,
                            tips_bytes *out) {
    const float *logits = logits_of(outputs, i);
    const int label = number_in(truth), rank = tips__rank(logits, a->classes, label);
    TIPS_TRY(tips__bytes_resize(out, sizeof(score)));
    *(score *)(void *)out->data = (score){1, cross_entropy(logits, a->classes, label), rank == 0, rank < TOP};
    return TIPS_OK;
}

static void merge(tips_bytes *sum, const tips_bytes *one) {
    score *to = (score *)(void *)sum->data;
    const score *from = (const score *)(const void *)one->data;
    to->seen += from->seen;
    to->loss += from->loss;
    to->right += from->right;
    to->right5 += from->right5;
}

static tips_status figures(const tips_assignment *a, const tips_bytes *scores, int n, tips_figure *out) {
    score sum = {0};
    tips_bytes bytes = {.data = (unsigned char *)&sum, .count = sizeof sum};
    for (int i = 0; i < n; i++) merge(&bytes, &scores[i]);
    out[TIPS_CLASSIFY_LOSS] = (tips_figure){sum.loss / sum.seen, NAN, NAN};
    out[TIPS_CLASSIFY_ACCURACY] = tips__proportion(sum.right, (int64_t)sum.seen);
    /* Among five classes everything is among the five best. */
    out[TIPS_CLASSIFY_TOP5] = a->classes > TOP ? tips__proportion(sum.right5, (int64_t)sum.seen) : tips__figure_none();
    return TIPS_OK;
}

const tips_task tips__task_classify = {
    .name = "classify",
    .brief = "one class for each picture",
    .flags = TIPS_TASK_LOGITS,
    .options = options,
    .config_size = sizeof(classify_config),
    .needs = TIPS_ANNOTATES_CLASS,
    .target = target,
    .head = head,
    .loss = loss,
    .put = put,
    .put_mixed = put_mixed,
    .answer = answer,
    .agree = agree,
    .say = say,
    .metrics = metrics,
    .score = score_of,
    .merge = merge,
    .figures = figures,
    .slope = slope,
    .number = number_of,
};
