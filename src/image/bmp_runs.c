/* Runs of a BMP file: (count, colours), or 0 and then 0 for the end of a row, 1 for the end, 2 for a jump, or so many
 * pixels as they are. What is jumped over has colour 0. */
#include "image/bmp_parts.h"

#include "core/fail.h"

enum { END_OF_ROW, END, JUMP };

typedef struct place {
    const bmp *b;
    tips_image *image;
    size_t at;
    int x, y; /* y counts from the bottom */
} place;

static tips_status cut_short(const place *p) { TIPS_FAIL(TIPS_FORMAT, "%s: cut short in its pixels", p->b->path); }

static tips_status put(place *p, int number) {
    if (p->x >= p->image->w || p->y >= p->image->h)
        TIPS_FAIL(TIPS_FORMAT, "%s: a run that leaves the picture", p->b->path);
    if (!tips__colours_put(&p->b->colours, number, p->image->h - 1 - p->y, p->x++, p->image))
        TIPS_FAIL(TIPS_FORMAT, "%s: a pixel of colour %d of %d", p->b->path, number, p->b->colours.count);
    return TIPS_OK;
}

/* Pixel i of bytes that hold one or two each. */
static int pixel_of(const bmp *b, const uint8_t *bytes, int i) {
    if (b->bits == 8) return bytes[i];
    return i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;
}

static tips_status put_run(place *p, int count, const uint8_t *colours) {
    for (int i = 0; i < count; i++) TIPS_TRY(put(p, pixel_of(p->b, colours, p->b->bits == 8 ? 0 : i % 2)));
    return TIPS_OK;
}

static tips_status put_plain(place *p, int count) {
    const size_t bytes = p->b->bits == 8 ? (size_t)count : ((size_t)count + 1) / 2;
    if (bytes > p->b->size - p->at) return cut_short(p);
    for (int i = 0; i < count; i++) TIPS_TRY(put(p, pixel_of(p->b, p->b->bytes + p->at, i)));
    p->at += bytes + bytes % 2;
    return TIPS_OK;
}

static tips_status jump(place *p) {
    if (p->at + 2 > p->b->size) return cut_short(p);
    p->x += p->b->bytes[p->at];
    p->y += p->b->bytes[p->at + 1];
    p->at += 2;
    if (p->x > p->image->w || p->y > p->image->h)
        TIPS_FAIL(TIPS_FORMAT, "%s: a jump that leaves the picture", p->b->path);
    return TIPS_OK;
}

static tips_status step(place *p, bool *ended) {
    if (p->at + 2 > p->b->size) return cut_short(p);
    const uint8_t *pair = p->b->bytes + p->at;
    p->at += 2;
    if (pair[0] > 0) return put_run(p, pair[0], pair + 1);
    if (pair[1] == JUMP) return jump(p);
    if (pair[1] > JUMP) return put_plain(p, pair[1]);
    *ended = pair[1] == END;
    p->x = 0;
    p->y += pair[1] == END_OF_ROW;
    return TIPS_OK;
}

static tips_status fill(const bmp *b, tips_image *image) {
    for (int y = 0; y < image->h; y++)
        for (int x = 0; x < image->w; x++)
            if (!tips__colours_put(&b->colours, 0, y, x, image))
                TIPS_FAIL(TIPS_FORMAT, "%s: a palette without colours", b->path);
    return TIPS_OK;
}

tips_status tips__bmp_read_runs(const bmp *b, tips_image *image) {
    place p = {.b = b, .image = image, .at = b->pixels_at};
    TIPS_TRY(fill(b, image));
    for (bool ended = false; !ended;) TIPS_TRY(step(&p, &ended));
    return TIPS_OK;
}
