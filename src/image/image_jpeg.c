/* JPEG, by libjpeg: grey stays grey, everything else becomes RGB. A file that is cut short is an error. */
#include "core/fail.h"
#include "image/image_parts.h"

#ifdef TIPS_HAVE_JPEG
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

/* Codes have a bit at least for 64 pixels, arithmetic ones of one colour a small part of one. */
enum { MOST_A_BYTE = 8192 };

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

/* Warnings mean that the data are corrupt, but for some that many good files raise. */
static void message(j_common_ptr info, int level) {
    const int code = info->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM) fail(info);
}

static int over_255(int product) { return (product + 128 + ((product + 128) >> 8)) >> 8; }

/* Inks are stored inverted, as Adobe's programs do it and others expect it; the result is the same as Pillow's. */
static void inks_to_rgb(const JSAMPLE *cmyk, JDIMENSION width, uint8_t *rgb) {
    for (JDIMENSION x = 0; x < width; x++, cmyk += 4, rgb += 3)
        for (int k = 0; k < 3; k++) rgb[k] = (uint8_t)(cmyk[3] - over_255((255 - cmyk[k]) * cmyk[3]));
}

static void read_row(struct jpeg_decompress_struct *jpeg, JSAMPARRAY inks, uint8_t *row) {
    JSAMPROW rows[1] = {row};
    jpeg_read_scanlines(jpeg, inks ? inks : rows, 1);
    if (inks) inks_to_rgb(inks[0], jpeg->output_width, row);
}

/* The setjmp of the caller is in force: libjpeg's failures go there. */
static tips_status decode(reader *r, const uint8_t *bytes, size_t size) {
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    jpeg_create_decompress(jpeg);
    jpeg_mem_src(jpeg, bytes, (unsigned long)size);
    jpeg_read_header(jpeg, TRUE);
    const int c = jpeg->jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    const int has_inks = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    jpeg->out_color_space = c == 1 ? JCS_GRAYSCALE : has_inks ? JCS_CMYK : JCS_RGB;
    TIPS_TRY(tips__image_claim(r->path, (long)jpeg->image_width, (long)jpeg->image_height, size, MOST_A_BYTE));
    TIPS_TRY(tips__image_allocate(r->path, (long)jpeg->image_width, (long)jpeg->image_height, c, &r->image));
    jpeg_start_decompress(jpeg);
    JSAMPARRAY inks = NULL; /* freed with the rest of libjpeg's memory */
    if (has_inks) inks = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE, 4 * jpeg->output_width, 1);
    while (jpeg->output_scanline < jpeg->output_height)
        read_row(jpeg, inks, r->image.pixels + (size_t)jpeg->output_scanline * jpeg->output_width * (size_t)c);
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
