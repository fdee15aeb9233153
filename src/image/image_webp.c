/* WebP, by libwebp, as RGB: lossy, lossless, and the first frame of an animation, on black where it is smaller.
 * Transparency is dropped. */
#include "core/fail.h"
#include "image/image_parts.h"

#ifdef TIPS_HAVE_WEBP
#include <string.h>
#include <webp/decode.h>

enum { RIFF_SIZE = 12, CHUNK_SIZE = 8, FRAME_SIZE = 16 };

/* Coded pixels and where they lie. */
typedef struct frame {
    const uint8_t *bytes;
    size_t size;
    int corner[2], extent[2]; /* height, width */
} frame;

static uint32_t number(const uint8_t *b, int bytes) {
    uint32_t n = 0;
    for (int i = 0; i < bytes; i++) n |= (uint32_t)b[i] << 8 * i;
    return n;
}

/* The first chunk of this name from `at` on; NULL if there is none that is whole. */
static const uint8_t *find_chunk(const uint8_t *bytes, size_t size, size_t at, const char *name, size_t *length) {
    while (at + CHUNK_SIZE <= size) {
        const size_t body = number(bytes + at + 4, 4), room = size - at - CHUNK_SIZE;
        if (memcmp(bytes + at, name, 4) == 0) {
            *length = body;
            return body <= room ? bytes + at + CHUNK_SIZE : NULL;
        }
        if (body + body % 2 >= room) return NULL;
        at += CHUNK_SIZE + body + body % 2;
    }
    return NULL;
}

/* The frame's own pixels are a chunk that libwebp reads with its header. */
static bool find_first_frame(const uint8_t *bytes, size_t size, frame *f) {
    size_t length, body;
    const uint8_t *animated = find_chunk(bytes, size, RIFF_SIZE, "ANMF", &length);
    if (!animated || length < FRAME_SIZE) return false;
    const uint8_t *pixels = find_chunk(animated, length, FRAME_SIZE, "VP8 ", &body);
    if (!pixels) pixels = find_chunk(animated, length, FRAME_SIZE, "VP8L", &body);
    if (!pixels) return false;
    f->bytes = pixels - CHUNK_SIZE;
    f->size = body + CHUNK_SIZE;
    for (int i = 0; i < 2; i++) f->corner[i] = 2 * (int)number(animated + 3 - 3 * i, 3);
    return true;
}

static tips_status measure(const char *path, const uint8_t *bytes, size_t size, WebPBitstreamFeatures *out) {
    const VP8StatusCode code = WebPGetFeatures(bytes, size, out);
    if (code == VP8_STATUS_NOT_ENOUGH_DATA) TIPS_FAIL(TIPS_FORMAT, "%s: cut short", path);
    if (code != VP8_STATUS_OK) TIPS_FAIL(TIPS_FORMAT, "%s: is damaged; libwebp cannot read its header", path);
    return TIPS_OK;
}

static tips_status choose_frame(const char *path, const WebPBitstreamFeatures *whole, frame *f) {
    WebPBitstreamFeatures own;
    f->extent[0] = whole->height;
    f->extent[1] = whole->width;
    if (!whole->has_animation) return TIPS_OK;
    if (!find_first_frame(f->bytes, f->size, f)) TIPS_FAIL(TIPS_FORMAT, "%s: cut short, or without frames", path);
    TIPS_TRY(measure(path, f->bytes, f->size, &own));
    f->extent[0] = own.height;
    f->extent[1] = own.width;
    if (f->corner[0] + own.height > whole->height || f->corner[1] + own.width > whole->width)
        TIPS_FAIL(TIPS_FORMAT, "%s: its first frame is larger than the picture", path);
    return TIPS_OK;
}

static tips_status decode(const char *path, const frame *f, tips_image *image) {
    const size_t stride = 3 * (size_t)image->w, start = (size_t)f->corner[0] * stride + 3 * (size_t)f->corner[1];
    if (!WebPDecodeRGBInto(f->bytes, f->size, image->pixels + start, stride * (size_t)image->h - start, (int)stride))
        TIPS_FAIL(TIPS_FORMAT, "%s: cut short or damaged", path);
    return TIPS_OK;
}

tips_status tips__image_read_webp(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    frame f = {.bytes = bytes, .size = size};
    WebPBitstreamFeatures whole;
    tips_image image;
    TIPS_TRY(measure(path, bytes, size, &whole));
    TIPS_TRY(choose_frame(path, &whole, &f));
    TIPS_TRY(tips__image_allocate(path, whole.width, whole.height, 3, &image));
    const tips_status status = decode(path, &f, &image);
    if (status != TIPS_OK) tips__image_free(&image);
    else *out = image;
    return status;
}

#else

tips_status tips__image_read_webp(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    (void)bytes, (void)size, (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: is a WebP picture, and this build reads no WebP (it lacks libwebp)", path);
}

#endif
