/* PNG, by libpng: grey stays grey, everything else becomes RGB. Values are taken as they are stored, as Pillow does it:
 * of 16 bits the upper 8, no gamma, and transparency is dropped. A file that is cut short is an error. */
#include "core/fail.h"
#include "image/image_parts.h"

#ifdef TIPS_HAVE_PNG
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 128, MOST_A_BYTE = 8 * 1032 }; /* deflate makes 1032 bytes of one, each up to 8 pixels */

typedef struct reader {
    const char *path;
    const uint8_t *bytes;
    size_t size, at;
    png_structp png;
    png_infop info;
    tips_image image;
    tips_colours *palette; /* NULL: pixels are colours, not numbers */
    jmp_buf escape;
    char text[TEXT_SIZE];
} reader;

static void fail(png_structp png, png_const_charp text) {
    reader *r = png_get_error_ptr(png);
    snprintf(r->text, sizeof r->text, "%s", text);
    longjmp(r->escape, 1);
}

/* What libpng warns of does not touch the pixels. */
static void ignore(png_structp png, png_const_charp text) { (void)png, (void)text; }

static void take(png_structp png, png_bytep out, size_t size) {
    reader *r = png_get_io_ptr(png);
    if (size > r->size - r->at) png_error(png, "cut short");
    memcpy(out, r->bytes + r->at, size);
    r->at += size;
}

/* Asks for 8 bits and one or three channels; gives how many. */
static int set_transforms(reader *r) {
    const int type = png_get_color_type(r->png, r->info);
    png_set_strip_16(r->png);
    png_set_strip_alpha(r->png);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(r->png);
    if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(r->png);
    return type & PNG_COLOR_MASK_COLOR ? 3 : 1;
}

/* Numbers as they are stored, one a byte. Of files without them, colours. */
static int set_number_transforms(reader *r) {
    const int type = png_get_color_type(r->png, r->info);
    png_colorp colours = NULL;
    int count = 0;
    if (type & PNG_COLOR_MASK_COLOR && type != PNG_COLOR_TYPE_PALETTE) return set_transforms(r);
    if (png_get_bit_depth(r->png, r->info) == 16) png_error(r->png, "numbers of 16 bits; classes are numbers of 8");
    png_set_packing(r->png);
    png_set_strip_alpha(r->png);
#ifdef PNG_READ_CHECK_FOR_INVALID_INDEX_SUPPORTED
    png_set_check_for_invalid_index(r->png, 0); /* a number without a colour is a number still */
#endif
    if (type != PNG_COLOR_TYPE_PALETTE || !png_get_PLTE(r->png, r->info, &colours, &count)) return 1;
    r->palette->count = count < TIPS_COLOURS ? count : TIPS_COLOURS;
    for (int i = 0; i < r->palette->count; i++) {
        const uint8_t rgb[3] = {colours[i].red, colours[i].green, colours[i].blue};
        memcpy(r->palette->rgb[i], rgb, sizeof rgb);
    }
    return 1;
}

/* The setjmp of the caller is in force: libpng's failures go there. */
static tips_status decode(reader *r) {
    png_set_read_fn(r->png, r, take);
    png_read_info(r->png, r->info);
    const png_uint_32 width = png_get_image_width(r->png, r->info), height = png_get_image_height(r->png, r->info);
    const int c = r->palette ? set_number_transforms(r) : set_transforms(r),
              passes = png_set_interlace_handling(r->png);
    TIPS_TRY(tips__image_claim(r->path, (long)width, (long)height, r->size, MOST_A_BYTE));
    TIPS_TRY(tips__image_allocate(r->path, (long)width, (long)height, c, &r->image));
    png_read_update_info(r->png, r->info);
    if (png_get_rowbytes(r->png, r->info) != (size_t)width * (size_t)c) png_error(r->png, "rows of another length");
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++) png_read_row(r->png, r->image.pixels + y * (size_t)width * (size_t)c, NULL);
    png_read_end(r->png, NULL);
    return TIPS_OK;
}

/* Apart from the owner of the reader: what setjmp's own function holds is not kept over a longjmp. */
static tips_status guarded(reader *r) {
    if (setjmp(r->escape)) TIPS_FAIL(TIPS_FORMAT, "%s: %s", r->path, r->text);
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, fail, ignore);
    r->info = r->png ? png_create_info_struct(r->png) : NULL;
    if (!r->info) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory", r->path);
    return decode(r);
}

tips_status tips__image_read_png_indices(const char *path, const uint8_t *bytes, size_t size, tips_image *out,
                                         tips_colours *palette) {
    reader r = {.path = path, .bytes = bytes, .size = size, .palette = palette};
    const tips_status status = guarded(&r);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    if (status != TIPS_OK) tips__image_free(&r.image);
    else *out = r.image;
    return status;
}

tips_status tips__image_read_png(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    return tips__image_read_png_indices(path, bytes, size, out, NULL);
}

#else

tips_status tips__image_read_png_indices(const char *path, const uint8_t *bytes, size_t size, tips_image *out,
                                         tips_colours *palette) {
    (void)palette;
    return tips__image_read_png(path, bytes, size, out);
}

tips_status tips__image_read_png(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    (void)bytes, (void)size, (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build reads no PNG; binary PPM works", path);
}

#endif
