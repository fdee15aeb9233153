/* The answers of a public classifier. What it allocates, on whatever thread, comes from its own allocator. */
#include "api/classifier_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/accuracy.h"
#include "api/network_parts.h"

#include <string.h>

tips_status tips__classifier_forward(const tips_classifier *c, const float *images, int n, float *logits) {
    classifier_net *net;
    tips_outputs outputs;
    TIPS_TRY(tips__classifier_take(c, n, &net));
    const tips_status status = tips__answer_inputs(net->answerer, images, n, &outputs);
    if (status == TIPS_OK) memcpy(logits, outputs.values[0], (size_t)n * outputs.floats[0] * sizeof *logits);
    tips__classifier_give_back(c, net);
    return status;
}

tips_status tips_classifier_run(const tips_classifier *c, const float *images, int n, float *logits) {
    TIPS_NEED(c, "classifier");
    if (!images || !logits) TIPS_FAIL(TIPS_INVALID, "%s is NULL", images ? "logits" : "images");
    TIPS_TRY(tips__check_batch(n));
    TIPS_TRY(tips__check_images(images, n, c->elements));
    const tips_allocator *before = tips_use_allocator(c->allocator);
    const tips_status status = tips__classifier_forward(c, images, n, logits);
    tips_use_allocator(before);
    return status;
}

static tips_status check_picture(const tips_picture *p) {
    if (!p || !p->pixels) TIPS_FAIL(TIPS_INVALID, "%s is NULL", p ? "the pixels" : "the picture");
    if (p->channels != 1 && p->channels != 3)
        TIPS_FAIL(TIPS_INVALID, "a picture of %d channels; it takes 1 for grey or 3 for colour", p->channels);
    if (p->height < 1 || p->width < 1 || p->height > TIPS_IMAGE_MAX_SIDE || p->width > TIPS_IMAGE_MAX_SIDE)
        TIPS_FAIL(TIPS_RANGE, "a picture of %dx%d is out of range; a side has 1..%d pixels", p->height, p->width,
                  TIPS_IMAGE_MAX_SIDE);
    const ptrdiff_t row = (ptrdiff_t)p->width * p->channels;
    if (p->row_bytes != 0 && p->row_bytes < row && p->row_bytes > -row)
        TIPS_FAIL(TIPS_RANGE, "rows of %td bytes overlap; %d pixels take %td", p->row_bytes, p->width, row);
    return TIPS_OK;
}

tips_status tips__classifier_canvas(const tips_classifier *c, const tips_picture *p, uint8_t *canvas) {
    tips_image image;
    TIPS_TRY(check_picture(p));
    TIPS_TRY(tips__image_allocate("the picture", p->width, p->height, p->channels, &image));
    const ptrdiff_t row = (ptrdiff_t)p->width * p->channels, step = p->row_bytes ? p->row_bytes : row;
    for (int y = 0; y < p->height; y++) memcpy(image.pixels + y * row, p->pixels + y * step, (size_t)row);
    const tips_status status = tips__preprocess_canvas(&c->model.preprocess, &image, canvas);
    tips__image_free(&image);
    return status;
}

static tips_status prepare(const tips_classifier *c, const tips_picture *picture, float *image) {
    uint8_t *canvas;
    TIPS_TRY(tips__new(&canvas, c->elements, "a picture"));
    const tips_status status = tips__classifier_canvas(c, picture, canvas);
    if (status == TIPS_OK) tips__canvas_to_input(&c->model.preprocess, canvas, 0, 0, false, image);
    tips__free(canvas);
    return status;
}

tips_status tips_classifier_prepare(const tips_classifier *c, const tips_picture *picture, float *image) {
    TIPS_NEED(c, "classifier");
    if (!image) TIPS_FAIL(TIPS_INVALID, "image is NULL");
    const tips_allocator *before = tips_use_allocator(c->allocator);
    const tips_status status = prepare(c, picture, image);
    tips_use_allocator(before);
    return status;
}

typedef struct answer_buffers {
    float *image;        /* (c, h, w) */
    float *logits;       /* (classes) */
    double *probability; /* (classes) */
} answer_buffers;

static tips_status answer(const tips_classifier *c, const tips_picture *picture, const answer_buffers *b,
                          tips_answer *out) {
    const int classes = tips_classifier_classes(c);
    TIPS_TRY(prepare(c, picture, b->image));
    TIPS_TRY(tips__classifier_forward(c, b->image, 1, b->logits));
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
    tips_status status = tips__new(&b.image, c->elements * sizeof *b.image, "an image");
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
    const tips_allocator *before = tips_use_allocator(c->allocator);
    const tips_status status = answer_with_buffers(c, picture, out, probabilities);
    tips_use_allocator(before);
    return status;
}

tips_status tips_classifier_answer(const tips_classifier *c, const tips_picture *picture, tips_answer *out) {
    return tips_classifier_probabilities(c, picture, out, NULL);
}
