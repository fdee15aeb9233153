/* The public classifier: a class for each picture. */
#include <tips/classifier.h>

#include "api/asked_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/accuracy.h"
#include "task/classify.h"

#include <string.h>

struct tips_classifier {
    asked_model base;
};

tips_status tips_classifier_load(const char *path, const tips_classifier_options *options, tips_classifier **out) {
    const asked_options o =
        options ? (asked_options){options->height, options->width, options->kept, NULL, NULL} : (asked_options){0};
    tips_classifier *classifier;
    if (!path || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", path ? "out" : "path");
    TIPS_TRY(tips__new_zero(&classifier, sizeof *classifier, "a classifier"));
    const tips_status status = tips__asked_open(path, &o, tips__task_expect_logits, "a classifier", &classifier->base);
    if (status != TIPS_OK) tips_classifier_destroy(classifier);
    else *out = classifier;
    return status;
}

void tips_classifier_destroy(tips_classifier *classifier) {
    if (!classifier) return;
    tips__asked_close(&classifier->base);
    tips__free(classifier);
}

const char *tips_classifier_arch(const tips_classifier *c) { return c ? c->base.model.info.arch->name : ""; }
const char *tips_classifier_pool(const tips_classifier *c) { return c ? c->base.pool : ""; }
int tips_classifier_channels(const tips_classifier *c) { return c ? c->base.model.info.config.in_channels : 0; }
int tips_classifier_height(const tips_classifier *c) { return c ? c->base.model.info.config.size[0] : 0; }
int tips_classifier_width(const tips_classifier *c) { return c ? c->base.model.info.config.size[1] : 0; }
int tips_classifier_classes(const tips_classifier *c) { return c ? c->base.model.info.config.classes : 0; }
const char *tips_classifier_name(const tips_classifier *c, int i) { return c ? tips__asked_name(&c->base, i) : NULL; }

tips_status tips_classifier_run(const tips_classifier *c, const float *images, int n, float *logits) {
    TIPS_NEED(c, "classifier");
    if (!images || !logits) TIPS_FAIL(TIPS_INVALID, "%s is NULL", images ? "logits" : "images");
    return tips__asked_run(&c->base, images, n, logits);
}

tips_status tips_classifier_prepare(const tips_classifier *c, const tips_picture *picture, float *image) {
    TIPS_NEED(c, "classifier");
    return tips__asked_prepare(&c->base, picture, image);
}

typedef struct answer_buffers {
    float *image;        /* (c, h, w) */
    float *logits;       /* (classes) */
    double *probability; /* (classes) */
} answer_buffers;

static tips_status answer(const tips_classifier *c, const tips_picture *picture, const answer_buffers *b,
                          tips_answer *out) {
    const int classes = tips_classifier_classes(c);
    TIPS_TRY(tips__asked_image(&c->base, picture, b->image));
    TIPS_TRY(tips__asked_forward(&c->base, b->image, 1, b->logits));
    if (!tips__scores_finite(b->logits, classes)) TIPS_FAIL(TIPS_NUMERIC, "the logits are not finite numbers");
    const int best = tips__answer(b->logits, classes);
    tips__softmax(b->logits, classes, b->probability);
    *out = (tips_answer){best, b->probability[best], tips_classifier_name(c, best)};
    return TIPS_OK;
}

static tips_status answer_with_buffers(const tips_classifier *c, const tips_picture *picture, tips_answer *out,
                                       double *probabilities) {
    const size_t classes = (size_t)tips_classifier_classes(c);
    answer_buffers b = {0};
    tips_status status = tips__new(&b.image, c->base.elements * sizeof *b.image, "an image");
    if (status == TIPS_OK) status = tips__new(&b.logits, classes * sizeof *b.logits, "the logits");
    if (status == TIPS_OK) status = tips__new(&b.probability, classes * sizeof *b.probability, "the probabilities");
    if (status == TIPS_OK) status = answer(c, picture, &b, out);
    if (status == TIPS_OK && probabilities) memcpy(probabilities, b.probability, classes * sizeof *b.probability);
    tips__free(b.image);
    tips__free(b.logits);
    tips__free(b.probability);
    return status;
}

tips_status tips_classifier_probabilities(const tips_classifier *c, const tips_picture *picture, tips_answer *out,
                                          double *probabilities) {
    TIPS_NEED(c, "classifier");
    if (!out) TIPS_FAIL(TIPS_INVALID, "there is no place for the answer: out is NULL");
    const tips_allocator *before = tips_use_allocator(c->base.allocator);
    const tips_status status = answer_with_buffers(c, picture, out, probabilities);
    tips_use_allocator(before);
    return status;
}

tips_status tips_classifier_answer(const tips_classifier *c, const tips_picture *picture, tips_answer *out) {
    return tips_classifier_probabilities(c, picture, out, NULL);
}

static tips_status check_labels(const tips_classifier *c, const int32_t *labels, int count) {
    const int classes = tips_classifier_classes(c);
    for (int i = 0; labels && i < count; i++)
        if (labels[i] < 0 || labels[i] >= classes)
            TIPS_FAIL(TIPS_RANGE, "label %d of picture %d is not in 0..%d", (int)labels[i], i, classes - 1);
    return TIPS_OK;
}

static void label_of(const void *labels, int i, tips_annotation *out) { out->label = ((const int32_t *)labels)[i]; }

tips_status tips_classifier_consistency(const tips_classifier *c, const tips_picture *pictures, const int32_t *labels,
                                        int count, const tips_consistency_options *options, tips_consistency *out) {
    asked_figures f;
    TIPS_NEED(c, "classifier");
    if (!pictures || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", pictures ? "out" : "pictures");
    TIPS_TRY(check_labels(c, labels, count));
    const asked_survey survey = {pictures, count, labels ? label_of : NULL, labels};
    TIPS_TRY(tips__asked_survey(&c->base, &survey, options, &f));
    *out = (tips_consistency){.pictures = count,
                              .accuracy = f.own[TIPS_CLASSIFY_ACCURACY],
                              .standard = f.consistency[TIPS_STANDARD],
                              .standard_fidelity = f.fidelity[TIPS_STANDARD],
                              .circular = f.consistency[TIPS_CIRCULAR],
                              .circular_fidelity = f.fidelity[TIPS_CIRCULAR]};
    return TIPS_OK;
}
