/* PNG, by libpng's simple interface: grey stays grey, everything else becomes RGB; transparency lies on black. */
#include "core/fail.h"
#include "data/image_read.h"

#ifdef TIPS_HAVE_PNG
#include <png.h>
#include <string.h>

static tips_status decode(const char *path, png_image *png, tips_image *out) {
    const int c = png->format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    const png_color black = {0, 0, 0};
    tips_image image;
    TIPS_TRY(tips__image_allocate(path, (long)png->width, (long)png->height, c, &image));
    png->format = c == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    if (!png_image_finish_read(png, &black, image.pixels, 0, NULL)) {
        tips__image_free(&image);
        TIPS_FAIL(TIPS_FORMAT, "%s: %s", path, png->message);
    }
    *out = image;
    return TIPS_OK;
}

tips_status tips__image_read_png(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&png, bytes, size)) TIPS_FAIL(TIPS_FORMAT, "%s: %s", path, png.message);
    const tips_status status = decode(path, &png, out);
    png_image_free(&png);
    return status;
}

#else

tips_status tips__image_read_png(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    (void)bytes, (void)size, (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build reads no PNG; binary PPM works", path);
}

#endif
