/* Pictures in, outputs out. What is allocated, on whatever thread, comes from the model's own allocator. */
#include "api/asked_parts.h"
#include "api/network_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

tips_status tips__asked_forward(const asked_model *m, const float *images, int n, float *out) {
    asked_net *net;
    tips_outputs outputs;
    TIPS_TRY(tips__asked_take(m, n, &net));
    const tips_status status = tips__answer_inputs(net->answerer, images, n, &outputs);
    if (status == TIPS_OK) memcpy(out, outputs.values[0], (size_t)n * m->outputs * sizeof *out);
    tips__asked_give_back(m, net);
    return status;
}

tips_status tips__asked_run(const asked_model *m, const float *images, int n, float *out) {
    TIPS_TRY(tips__check_batch(n));
    TIPS_TRY(tips__check_images(images, n, m->elements));
    const tips_allocator *before = tips_use_allocator(m->allocator);
    const tips_status status = tips__asked_forward(m, images, n, out);
    tips_use_allocator(before);
    return status;
}

tips_status tips__asked_answer(const asked_model *m, const float *image, tips_bytes *answer) {
    const tips_task *task = m->model.info.task.task;
    asked_net *net;
    tips_outputs outputs;
    TIPS_TRY(tips__asked_take(m, 1, &net));
    tips_status status = tips__answer_inputs(net->answerer, image, 1, &outputs);
    if (status == TIPS_OK && !tips__outputs_finite(&outputs, 0))
        status = tips__fail(TIPS_NUMERIC, "the logits are not finite numbers");
    if (status == TIPS_OK) status = task->answer(&m->model.model.assignment, &outputs, 0, answer);
    tips__asked_give_back(m, net);
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

tips_status tips__asked_canvas(const asked_model *m, const tips_picture *p, uint8_t *canvas) {
    tips_image image;
    TIPS_TRY(check_picture(p));
    TIPS_TRY(tips__image_allocate("the picture", p->width, p->height, p->channels, &image));
    const ptrdiff_t row = (ptrdiff_t)p->width * p->channels, step = p->row_bytes ? p->row_bytes : row;
    for (int y = 0; y < p->height; y++) memcpy(image.pixels + y * row, p->pixels + y * step, (size_t)row);
    const tips_status status = tips__preprocess_canvas(&m->model.preprocess, &image, canvas);
    tips__image_free(&image);
    return status;
}

tips_status tips__asked_image(const asked_model *m, const tips_picture *picture, float *image) {
    uint8_t *canvas;
    TIPS_TRY(tips__new(&canvas, m->elements, "a picture"));
    const tips_status status = tips__asked_canvas(m, picture, canvas);
    if (status == TIPS_OK) tips__canvas_to_input(&m->model.preprocess, canvas, 0, 0, false, image);
    tips__free(canvas);
    return status;
}

tips_status tips__asked_prepare(const asked_model *m, const tips_picture *picture, float *image) {
    TIPS_NEED(image, "image");
    const tips_allocator *before = tips_use_allocator(m->allocator);
    const tips_status status = tips__asked_image(m, picture, image);
    tips_use_allocator(before);
    return status;
}
