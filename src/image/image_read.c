/* Reading an image file whole and handing it to the reader of its format. */
#include "image/image_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 256 << 20, MOST_PIXELS = 100000000, HARMLESS_PIXELS = 16000000 };

tips_status tips__image_check(const char *path, long w, long h) {
    if (w < 1 || h < 1 || w > TIPS_IMAGE_MAX_SIDE || h > TIPS_IMAGE_MAX_SIDE)
        TIPS_FAIL(TIPS_FORMAT, "%s: an image of %ldx%ld pixels; sides of 1..%d are read", path, w, h,
                  TIPS_IMAGE_MAX_SIDE);
    if ((double)w * (double)h > MOST_PIXELS)
        TIPS_FAIL(TIPS_FORMAT,
                  "%s: an image of %ldx%ld pixels; up to %d are read: make it smaller, or cut it into parts", path, w,
                  h, MOST_PIXELS);
    return TIPS_OK;
}

tips_status tips__image_allocate(const char *path, long w, long h, int c, tips_image *out) {
    tips_image image = {.h = (int)h, .w = (int)w, .c = c};
    TIPS_TRY(tips__image_check(path, w, h));
    TIPS_TRY(tips__new_zero(&image.pixels, (size_t)w * (size_t)h * (size_t)c, "an image"));
    *out = image;
    return TIPS_OK;
}

tips_status tips__image_claim(const char *path, long w, long h, size_t bytes, int pixels_a_byte) {
    const double pixels = (double)w * (double)h;
    if (pixels <= HARMLESS_PIXELS || pixels <= (double)bytes * pixels_a_byte) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT,
              "%s: says that it is of %ldx%ld pixels, which its %zu bytes cannot hold; it is cut short or damaged",
              path, w, h, bytes);
}

void tips__image_free(tips_image *image) {
    if (!image) return;
    tips__free(image->pixels);
    image->pixels = NULL;
}

static tips_status open_failed(const char *path) {
    const int error = errno;
    TIPS_FAIL(TIPS_IO, "%s: %s", path, error ? strerror(error) : "cannot be read");
}

static tips_status read_stream(const char *path, FILE *file, uint8_t **out, size_t *out_size) {
    size_t room = 1 << 16, size = 0;
    uint8_t *bytes;
    TIPS_TRY(tips__new(&bytes, room, "an image file"));
    for (;;) {
        errno = 0;
        size += fread(bytes + size, 1, room - size, file);
        if (size < room) break;
        uint8_t *larger = room < MOST_BYTES ? tips__grow(bytes, size, 2 * room) : NULL;
        if (!larger) {
            tips__free(bytes);
            TIPS_FAIL(TIPS_MEMORY, "%s: more than %zu bytes", path, room);
        }
        bytes = larger;
        room *= 2;
    }
    if (ferror(file)) {
        tips__free(bytes);
        return open_failed(path);
    }
    *out = bytes;
    *out_size = size;
    return TIPS_OK;
}

static tips_status read_whole(const char *path, uint8_t **out, size_t *out_size) {
    TIPS_TRY(tips__check_regular(path));
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file) return open_failed(path);
    const tips_status status = read_stream(path, file, out, out_size);
    fclose(file);
    return status;
}

typedef struct format {
    size_t at; /* where the bytes are that tell it */
    const char *magic;
    size_t size;
    tips_status (*read)(const char *path, const uint8_t *bytes, size_t size, tips_image *out);
} format;

static const format formats[] = {
    {0, "\x89PNG\r\n\x1a\n", 8, tips__image_read_png},
    {0, "\xff\xd8\xff", 3, tips__image_read_jpeg},
    {0, "P5", 2, tips__image_read_pnm},
    {0, "P6", 2, tips__image_read_pnm},
    {8, "WEBP", 4, tips__image_read_webp},
    {0, "BM", 2, tips__image_read_bmp},
    {0, "GIF87a", 6, tips__image_read_gif},
    {0, "GIF89a", 6, tips__image_read_gif},
    {0, "II*\0", 4, tips__image_read_tiff},
    {0, "MM\0*", 4, tips__image_read_tiff},
    {0, "II+\0", 4, tips__image_read_tiff},
    {0, "MM\0+", 4, tips__image_read_tiff},
};

static tips_status decode(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    if (size == 0) TIPS_FAIL(TIPS_FORMAT, "%s: the file is empty", path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const format *f = &formats[i];
        if (size >= f->at + f->size && memcmp(bytes + f->at, f->magic, f->size) == 0)
            return f->read(path, bytes, size, out);
    }
    const char *what = tips__image_kind(bytes, size);
    TIPS_FAIL(TIPS_FORMAT, "%s: %s%snot an image in PNG, JPEG, WebP, TIFF, BMP, GIF, PGM (P5) or PPM (P6) format", path,
              what ? what : "", what ? ", " : "");
}

tips_status tips__image_read(const char *path, tips_image *out) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    TIPS_TRY(read_whole(path, &bytes, &size));
    const tips_status status = decode(path, bytes, size, out);
    tips__free(bytes);
    return status;
}

static bool is_png(const uint8_t *bytes, size_t size) { return size >= 8 && memcmp(bytes, formats[0].magic, 8) == 0; }

tips_status tips__image_read_indices(const char *path, tips_image *out, tips_colours *palette) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    palette->count = 0;
    TIPS_TRY(read_whole(path, &bytes, &size));
    const tips_status status = is_png(bytes, size) ? tips__image_read_png_indices(path, bytes, size, out, palette)
                                                   : decode(path, bytes, size, out);
    tips__free(bytes);
    return status;
}

static int big_endian(const uint8_t *bytes) {
    return (int)((uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3]);
}

/* The width and height of a PNG file come first, behind the signature and the name of their chunk. */
static bool read_png_size(const char *path, int size[2]) {
    uint8_t start[24];
    FILE *file = fopen(path, "rb");
    const size_t got = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) fclose(file);
    if (got < sizeof start || !is_png(start, got) || memcmp(start + 12, "IHDR", 4) != 0) return false;
    size[0] = big_endian(start + 20);
    size[1] = big_endian(start + 16);
    return true;
}

/* Of a JPEG file the first frame header says it, behind segments that say how long they are. */
static bool find_jpeg_size(FILE *file, int size[2]) {
    uint8_t bytes[7];
    if (fread(bytes, 1, 2, file) != 2 || bytes[0] != 0xff || bytes[1] != 0xd8) return false;
    for (;;) {
        int marker;
        if (fgetc(file) != 0xff) return false;
        do marker = fgetc(file);
        while (marker == 0xff);
        const bool is_frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
        if (marker < 0xc0 || marker == 0xda || fread(bytes, 1, 2, file) != 2) return false;
        const int length = bytes[0] << 8 | bytes[1];
        if (length < 2) return false;
        if (is_frame) {
            if (fread(bytes, 1, 5, file) != 5) return false;
            size[0] = bytes[1] << 8 | bytes[2];
            size[1] = bytes[3] << 8 | bytes[4];
            return size[0] > 0 && size[1] > 0;
        }
        if (fseek(file, length - 2, SEEK_CUR) != 0) return false;
    }
}

static bool read_jpeg_size(const char *path, int size[2]) {
    FILE *file = fopen(path, "rb");
    const bool found = file && find_jpeg_size(file, size);
    if (file) fclose(file);
    return found;
}

tips_status tips__image_size(const char *path, int size[2]) {
    tips_image image;
    TIPS_TRY(tips__check_regular(path));
    if (read_png_size(path, size) || read_jpeg_size(path, size)) return TIPS_OK;
    TIPS_TRY(tips__image_read(path, &image));
    size[0] = image.h;
    size[1] = image.w;
    tips__image_free(&image);
    return TIPS_OK;
}
