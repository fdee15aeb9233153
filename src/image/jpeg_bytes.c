/* A picture into JPEG in memory, and back. */
#include "image/jpeg_bytes.h"

#include "core/fail.h"
#include "image/image_parts.h"

#ifdef TIPS_HAVE_JPEG
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

typedef struct writer {
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct jpeg;
    jmp_buf escape;
    unsigned char *bytes; /* libjpeg's own, of malloc */
    unsigned long size;
    char text[JMSG_LENGTH_MAX];
} writer;

static void fail(j_common_ptr info) {
    writer *w = info->client_data;
    info->err->format_message(info, w->text);
    longjmp(w->escape, 1);
}

/* The setjmp of the caller is in force. */
static void encode(writer *w, const tips_image *image, int quality) {
    struct jpeg_compress_struct *jpeg = &w->jpeg;
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, &w->bytes, &w->size);
    jpeg->image_width = (JDIMENSION)image->w;
    jpeg->image_height = (JDIMENSION)image->h;
    jpeg->input_components = image->c;
    jpeg->in_color_space = image->c == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW row = image->pixels + (size_t)jpeg->next_scanline * (size_t)image->w * (size_t)image->c;
        jpeg_write_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_compress(jpeg);
}

/* Apart from the owner of the writer: what setjmp's own function holds is not kept over a longjmp. */
static tips_status guarded(writer *w, const tips_image *image, int quality) {
    if (setjmp(w->escape)) TIPS_FAIL(TIPS_MEMORY, "a picture as JPEG: %s", w->text);
    encode(w, image, quality);
    return TIPS_OK;
}

tips_status tips__image_through_jpeg(const tips_image *image, int quality, tips_image *out) {
    writer w = {0};
    w.jpeg.err = jpeg_std_error(&w.errors);
    w.jpeg.client_data = &w;
    w.errors.error_exit = fail;
    tips_status status = guarded(&w, image, quality);
    jpeg_destroy_compress(&w.jpeg);
    if (status == TIPS_OK) status = tips__image_read_jpeg("a picture in memory", w.bytes, w.size, out);
    free(w.bytes);
    return status;
}

#else

tips_status tips__image_through_jpeg(const tips_image *image, int quality, tips_image *out) {
    (void)image, (void)quality, (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "this build has no libjpeg: corruptions by JPEG need it");
}

#endif
