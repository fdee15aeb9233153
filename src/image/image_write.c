/* PNG, by libpng's simple interface. */
#include "image/image_write.h"

#include "core/fail.h"

#ifdef TIPS_HAVE_PNG
#include "core/atomic_file.h"
#include "core/memory.h"

#include <assert.h>
#include <png.h>
#include <string.h>

static png_image describe(const tips_image *image) {
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)image->w;
    png.height = (png_uint_32)image->h;
    png.format = image->c == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    return png;
}

static tips_status encode(png_image png, const uint8_t *pixels, const void *colours, uint8_t **out, size_t *size) {
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png);
    uint8_t *memory;
    TIPS_TRY(tips__new(&memory, bytes, "a PNG picture"));
    if (!png_image_write_to_memory(&png, memory, &bytes, 0, pixels, 0, colours)) {
        tips__free(memory);
        TIPS_FAIL(TIPS_IO, "a PNG picture cannot be made: %s", png.message);
    }
    *out = memory;
    *size = bytes;
    return TIPS_OK;
}

tips_status tips__image_encode_png(const tips_image *image, uint8_t **out, size_t *size) {
    return encode(describe(image), image->pixels, NULL, out, size);
}

/* With fewer colours than 256 it would be written in fewer bits. */
tips_status tips__image_write_palette_png(const char *path, const tips_image *numbers, const tips_colours *palette) {
    png_image png = describe(numbers);
    uint8_t *bytes = NULL;
    size_t size = 0;
    assert(numbers->c == 1 && palette->count == TIPS_COLOURS);
    png.format = PNG_FORMAT_RGB_COLORMAP;
    png.colormap_entries = TIPS_COLOURS;
    TIPS_TRY(encode(png, numbers->pixels, palette->rgb, &bytes, &size));
    const tips_status status = tips__atomic_save(path, bytes, size);
    tips__free(bytes);
    return status;
}

tips_status tips__image_write_png(const char *path, const tips_image *image) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    TIPS_TRY(tips__image_encode_png(image, &bytes, &size));
    const tips_status status = tips__atomic_save(path, bytes, size);
    tips__free(bytes);
    return status;
}

#else

tips_status tips__image_write_png(const char *path, const tips_image *image) {
    (void)image;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build writes no PNG (it lacks libpng)", path);
}

tips_status tips__image_write_palette_png(const char *path, const tips_image *numbers, const tips_colours *palette) {
    (void)palette;
    return tips__image_write_png(path, numbers);
}

tips_status tips__image_encode_png(const tips_image *image, uint8_t **out, size_t *size) {
    (void)image, (void)out, (void)size;
    TIPS_FAIL(TIPS_UNSUPPORTED, "this build writes no PNG (it lacks libpng)");
}

#endif
