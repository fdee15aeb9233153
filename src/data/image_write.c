/* PNG, by libpng's simple interface. */
#include "data/image_write.h"

#include "core/fail.h"

#ifdef TIPS_HAVE_PNG
#include "core/atomic_file.h"

#include <png.h>
#include <string.h>

tips_status tips__image_write_png(const char *path, const tips_image *image) {
    tips_atomic_file *file;
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)image->w;
    png.height = (png_uint_32)image->h;
    png.format = image->c == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    TIPS_TRY(tips__atomic_open(path, &file));
    if (png_image_write_to_stdio(&png, tips__atomic_stream(file), 0, image->pixels, 0, NULL))
        return tips__atomic_commit(file);
    tips__atomic_abandon(file);
    TIPS_FAIL(TIPS_IO, "%s: %s", path, png.message);
}

#else

tips_status tips__image_write_png(const char *path, const tips_image *image) {
    (void)image;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build writes no PNG (it lacks libpng)", path);
}

#endif
