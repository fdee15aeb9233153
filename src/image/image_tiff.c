/* The first picture of a TIFF file, by libtiff: grey stays grey, everything else becomes RGB. Rows lie as they are
 * stored, transparency is dropped. */
#include "core/fail.h"
#include "image/image_parts.h"

#ifdef TIPS_HAVE_TIFF
#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>

enum { TEXT_SIZE = 1024, MOST_A_BYTE = 8 * 1032 }; /* as of deflate, which makes most */

typedef struct reader {
    const char *path;
    const uint8_t *bytes;
    size_t size, at;
    TIFF *tiff;
    char text[TEXT_SIZE]; /* the first complaint */
} reader;

static tmsize_t take(thandle_t handle, void *out, tmsize_t count) {
    reader *r = handle;
    const size_t left = r->at < r->size ? r->size - r->at : 0, n = (size_t)count < left ? (size_t)count : left;
    memcpy(out, r->bytes + (left ? r->at : 0), n);
    r->at += n;
    return (tmsize_t)n;
}

static tmsize_t refuse(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle, (void)bytes, (void)count;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t to, int from) {
    reader *r = handle;
    if (from == SEEK_CUR) to += r->at;
    if (from == SEEK_END) to += r->size;
    r->at = (size_t)to;
    return to;
}

static int leave_open(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t measure(thandle_t handle) { return ((reader *)handle)->size; }

static int map(thandle_t handle, void **out, toff_t *size) {
    *out = (void *)((reader *)handle)->bytes;
    *size = ((reader *)handle)->size;
    return 1;
}

static void unmap(thandle_t handle, void *bytes, toff_t size) { (void)handle, (void)bytes, (void)size; }

#if TIFFLIB_VERSION >= 20221213
static int keep_text(TIFF *tiff, void *user, const char *module, const char *fmt, va_list args) {
    reader *r = user;
    (void)tiff, (void)module;
    if (!r->text[0]) vsnprintf(r->text, sizeof r->text, fmt, args);
    return 1;
}

/* What libtiff warns of are mostly tags that it does not know. */
static int ignore(TIFF *tiff, void *user, const char *module, const char *fmt, va_list args) {
    (void)tiff, (void)user, (void)module, (void)fmt, (void)args;
    return 1;
}

static TIFF *open_tiff(reader *r) {
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, keep_text, r);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore, NULL);
    TIFF *tiff = TIFFClientOpenExt(r->path, "r", r, take, refuse, seek, leave_open, measure, map, unmap, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}
#else
/* Before version 4.5 handlers are those of the whole process: without one, nothing is printed. */
static TIFF *open_tiff(reader *r) {
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    return TIFFClientOpen(r->path, "r", r, take, refuse, seek, leave_open, measure, map, unmap);
}
#endif

static tips_status damaged(const reader *r, const char *why) {
    TIPS_FAIL(TIPS_FORMAT, "%s: a TIFF file that cannot be read: %s", r->path,
              r->text[0] ? r->text
              : *why     ? why
                         : "it is cut short or damaged");
}

/* Three samples that are not said to be anything else are colours, even where a file calls its pixels grey, as those of
 * CVC-ClinicDB do. libtiff has taken two of them for something else. */
static void call_colours_so(TIFF *tiff) {
    uint16_t samples = 1, extra = 0, photometric = PHOTOMETRIC_RGB, *kinds;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    const bool has_extra = TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extra, &kinds) && extra > 0;
    if (samples == 3 && !has_extra && TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) &&
        photometric == PHOTOMETRIC_MINISBLACK) {
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 0, NULL);
    }
}

static bool is_grey(TIFF *tiff) {
    uint16_t photometric = PHOTOMETRIC_RGB;
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric)) return false;
    return photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE;
}

/* Colours are to come as stored: neither multiplied by their opacity nor turned. */
static void ask_for_plain_values(TIFF *tiff) {
    uint16_t count = 0, *kinds, plain = EXTRASAMPLE_ASSOCALPHA;
    if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) && count == 1 && kinds[0] == EXTRASAMPLE_UNASSALPHA)
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &plain);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
}

static void copy(const uint32_t *raster, tips_image *image) {
    const size_t pixels = (size_t)image->h * (size_t)image->w;
    uint8_t *out = image->pixels;
    for (size_t i = 0; i < pixels; i++) {
        *out++ = (uint8_t)TIFFGetR(raster[i]);
        if (image->c == 1) continue;
        *out++ = (uint8_t)TIFFGetG(raster[i]);
        *out++ = (uint8_t)TIFFGetB(raster[i]);
    }
}

static tips_status read_pixels(reader *r, tips_image *image) {
    uint32_t *raster; /* (h, w) */
    TIPS_TRY(tips__new(&raster, (size_t)image->h * (size_t)image->w * sizeof *raster, "a TIFF picture"));
    const int done =
        TIFFReadRGBAImageOriented(r->tiff, (uint32_t)image->w, (uint32_t)image->h, raster, ORIENTATION_TOPLEFT, 1);
    if (done && !r->text[0]) copy(raster, image);
    tips__free(raster);
    return done && !r->text[0] ? TIPS_OK : damaged(r, "");
}

/* Of the compressions that make little of any byte; those of faxes, and the newer ones, do not say how much they make.
 */
static tips_status check_claim(const reader *r, uint32_t w, uint32_t h) {
    static const uint16_t known[] = {COMPRESSION_NONE,    COMPRESSION_LZW,           COMPRESSION_PACKBITS,
                                     COMPRESSION_DEFLATE, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_JPEG};
    uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_COMPRESSION, &compression);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == compression) return tips__image_claim(r->path, (long)w, (long)h, r->size, MOST_A_BYTE);
    return TIPS_OK;
}

static tips_status read_picture(reader *r, tips_image *out) {
    uint32_t w = 0, h = 0;
    char why[TEXT_SIZE] = "";
    tips_image image;
    TIFFGetField(r->tiff, TIFFTAG_IMAGEWIDTH, &w);
    TIFFGetField(r->tiff, TIFFTAG_IMAGELENGTH, &h);
    call_colours_so(r->tiff);
    TIPS_TRY(check_claim(r, w, h));
    TIPS_TRY(tips__image_allocate(r->path, (long)w, (long)h, is_grey(r->tiff) ? 1 : 3, &image));
    ask_for_plain_values(r->tiff);
    const tips_status status = TIFFRGBAImageOK(r->tiff, why) ? read_pixels(r, &image) : damaged(r, why);
    if (status != TIPS_OK) tips__image_free(&image);
    else *out = image;
    return status;
}

tips_status tips__image_read_tiff(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    reader r = {.path = path, .bytes = bytes, .size = size};
    r.tiff = open_tiff(&r);
    if (!r.tiff) return damaged(&r, "");
    const tips_status status = read_picture(&r, out);
    TIFFClose(r.tiff);
    return status;
}

#else

tips_status tips__image_read_tiff(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    (void)bytes, (void)size, (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: is a TIFF picture, and this build reads no TIFF (it lacks libtiff)", path);
}

#endif
