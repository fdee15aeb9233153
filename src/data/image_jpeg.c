/* JPEG, by libjpeg: grey stays grey, everything else becomes RGB. A file that is cut short is an error. */
#include "core/fail.h"
#include "data/image_read.h"

#ifdef TIPS_HAVE_JPEG
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

typedef struct reader {
    struct jpeg_error_mgr errors;
    struct jpeg_decompress_struct jpeg;
    jmp_buf escape;
    const char *path;
    tips_image image;
    char text[JMSG_LENGTH_MAX];
} reader;

static void fail(j_common_ptr info) {
    reader *r = info->client_data;
    info->err->format_message(info, r->text);
    longjmp(r->escape, 1);
}

static void message(j_common_ptr info, int level) {
    if (level < 0) fail(info); /* a warning: the data are corrupt */
}

/* The setjmp of the caller is in force: libjpeg's failures go there. */
static tips_status decode(reader *r, const uint8_t *bytes, size_t size) {
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg_mem_src(jpeg, bytes, (unsigned long)size);
    jpeg_read_header(jpeg, TRUE);
    const int c = jpeg->jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    jpeg->out_color_space = c == 1 ? JCS_GRAYSCALE : JCS_RGB;
    TIPS_TRY(tips__image_allocate(r->path, (long)jpeg->image_width, (long)jpeg->image_height, c, &r->image));
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = r->image.pixels + (size_t)jpeg->output_scanline * jpeg->output_width * (size_t)c;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return TIPS_OK;
}

/* Apart from the owner of the reader: what setjmp's own function holds is not kept over a longjmp. */
static tips_status guarded(reader *r, const uint8_t *bytes, size_t size) {
    if (setjmp(r->escape)) TIPS_FAIL(TIPS_FORMAT, "%s: %s", r->path, r->text);
    return decode(r, bytes, size);
}

tips_status tips__image_read_jpeg(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    reader r = {.path = path};
    r.jpeg.err = jpeg_std_error(&r.errors);
    r.jpeg.client_data = &r;
    r.errors.error_exit = fail;
    r.errors.emit_message = message;
    const tips_status status = guarded(&r, bytes, size);
    jpeg_destroy_decompress(&r.jpeg);
    if (status != TIPS_OK) tips__image_free(&r.image);
    else *out = r.image;
    return status;
}

#else

tips_status tips__image_read_jpeg(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    (void)bytes, (void)size, (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build reads no JPEG; binary PPM works", path);
}

#endif
