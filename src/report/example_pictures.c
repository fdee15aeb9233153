/* Examples as pictures: shifted, and with what a model answers drawn over them. */
#include "core/fail.h"
#include "core/memory.h"
#include "image/image_write.h"
#include "image/overlay.h"
#include "report/report_examples.h"

#include <string.h>

static int wrap(int i, int n) { return ((i % n) + n) % n; }

static void shift_picture(const tips_preprocess *p, const uint8_t *src, const int shift[2], bool circular,
                          uint8_t *dst) {
    const size_t c = (size_t)p->channels;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++, dst += c) {
            int from[2] = {y - shift[0], x - shift[1]};
            if (circular) from[0] = wrap(from[0], p->height), from[1] = wrap(from[1], p->width);
            if (from[0] >= 0 && from[0] < p->height && from[1] >= 0 && from[1] < p->width)
                memcpy(dst, src + ((size_t)from[0] * (size_t)p->width + (size_t)from[1]) * c, c);
            else memset(dst, 0, c);
        }
}

static tips_status encode(const tips_image *image, char **out) {
    tips_text text = {0};
    uint8_t *bytes;
    size_t size;
    TIPS_TRY(tips__image_encode_png(image, &bytes, &size));
    tips__text_base64(&text, bytes, size);
    tips__free(bytes);
    *out = text.data;
    return tips__text_check(&text);
}

/* The picture as the network saw it. */
static tips_status make_view(const example_search *s, int slot, int view, tips_image *out) {
    const tips_preprocess *p = &s->models[0].model.preprocess;
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

tips_status tips__example_drawing(const example_search *s, int slot, int view, const tips_bytes *answer, char **out) {
    tips_image image;
    TIPS_TRY(make_view(s, slot, view, &image));
    tips_status status = tips__image_in_colour(&image);
    if (status == TIPS_OK) s->task->draw(&s->models[0].model.model.assignment, answer, &image);
    if (status == TIPS_OK) status = encode(&image, out);
    tips__image_free(&image);
    return status;
}
