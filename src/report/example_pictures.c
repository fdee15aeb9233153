/* Examples as pictures: shifted, and with what a model answers drawn over them. */
#include "core/fail.h"
#include "core/memory.h"
#include "image/image_write.h"
#include "image/overlay.h"
#include "image/resize.h"
#include "image/surround.h"
#include "report/report_examples.h"

#include <string.h>

enum { MOST_SIDE = 288 };

static int wrap(int i, int n) { return ((i % n) + n) % n; }

static void shift_picture(const tips_preprocess *p, const uint8_t *src, const int shift[2], bool circular,
                          uint8_t *dst) {
    const tips_surround around = tips__surround_of(p);
    const size_t c = (size_t)p->channels;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++, dst += c) {
            int from[2] = {y - shift[0], x - shift[1]};
            if (circular) from[0] = wrap(from[0], p->height), from[1] = wrap(from[1], p->width);
            if (from[0] >= 0 && from[0] < p->height && from[1] >= 0 && from[1] < p->width)
                memcpy(dst, src + ((size_t)from[0] * (size_t)p->width + (size_t)from[1]) * c, c);
            else memcpy(dst, around.colour, c);
        }
}

static tips_status encode_whole(const tips_image *image, char **out) {
    tips_text text = {0};
    uint8_t *bytes;
    size_t size;
    TIPS_TRY(tips__image_encode_png(image, &bytes, &size));
    tips__text_base64(&text, bytes, size);
    tips__free(bytes);
    *out = text.data;
    return tips__text_check(&text);
}

/* No larger than a page shows it: pages have many. */
static tips_status encode(const tips_image *image, char **out) {
    const int longer = image->h > image->w ? image->h : image->w;
    tips_image small;
    if (longer <= MOST_SIDE) return encode_whole(image, out);
    const int h = image->h * MOST_SIDE / longer, w = image->w * MOST_SIDE / longer;
    TIPS_TRY(tips__resize(image, h > 0 ? h : 1, w > 0 ? w : 1, &small));
    const tips_status status = encode_whole(&small, out);
    tips__image_free(&small);
    return status;
}

/* The picture as the network saw it. */
static tips_status make_view(const example_search *s, int slot, int view, tips_image *out) {
    const tips_preprocess *p = &s->models[0].model->preprocess;
    const size_t bytes = (size_t)p->height * (size_t)p->width * (size_t)p->channels;
    tips_image image = {.h = p->height, .w = p->width, .c = p->channels};
    int kind, shift[2];
    tips__example_view(view, &kind, shift);
    TIPS_TRY(tips__new(&image.pixels, bytes, "a picture"));
    shift_picture(p, s->canvas + (size_t)slot * bytes, shift, kind == TIPS_CIRCULAR, image.pixels);
    *out = image;
    return TIPS_OK;
}

tips_status tips__example_picture(const example_search *s, int slot, int view, char **out) {
    tips_image image;
    TIPS_TRY(make_view(s, slot, view, &image));
    const tips_status status = encode(&image, out);
    tips__image_free(&image);
    return status;
}

/* A view in colour, to be drawn on. */
static tips_status make_paper(const example_search *s, int slot, int view, tips_image *out) {
    TIPS_TRY(make_view(s, slot, view, out));
    const tips_status status = tips__image_in_colour(out);
    if (status != TIPS_OK) tips__image_free(out);
    return status;
}

static tips_status finish(tips_image *paper, char **out) {
    const tips_status status = encode(paper, out);
    tips__image_free(paper);
    return status;
}

tips_status tips__example_drawing(const example_search *s, int model, int slot, int view, char **out) {
    const example_answer answer = tips__example_answer(s, model, view, slot);
    tips_image paper;
    if (!s->task->draw) return TIPS_OK;
    TIPS_TRY(make_paper(s, slot, view, &paper));
    s->task->draw(&s->models[model].assignment, &answer.bytes, &paper);
    return finish(&paper, out);
}

tips_status tips__example_truth(const example_search *s, int slot, char **out) {
    tips_image paper;
    if (!s->task->draw_target) return TIPS_OK;
    TIPS_TRY(make_paper(s, slot, 0, &paper));
    s->task->draw_target(&s->models[0].assignment, &s->target[slot], &paper);
    return finish(&paper, out);
}

tips_status tips__example_difference(const example_search *s, int model, int slot, int view, char **out) {
    const example_answer before = tips__example_answer(s, model, 0, slot);
    const example_answer after = tips__example_answer(s, model, view, slot);
    const tips_answer_at x = {&before.bytes, {0, 0}, after.circular};
    const tips_answer_at y = {&after.bytes, {after.shift[0], after.shift[1]}, after.circular};
    tips_image paper;
    if (!s->task->draw_difference) return TIPS_OK;
    TIPS_TRY(make_paper(s, slot, 0, &paper));
    s->task->draw_difference(&s->models[model].assignment, x, y, &paper);
    return finish(&paper, out);
}
