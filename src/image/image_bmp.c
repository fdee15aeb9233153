/* BMP of every kind that Windows and OS/2 wrote: 1, 4 or 8 bits by palette, plain or run-length encoded, 16, 24 or 32
 * bits by masks, from the bottom up or from the top down. Transparency is dropped. A palette of greys makes a grey
 * picture. */
#include "core/fail.h"
#include "image/bmp_parts.h"

#include <string.h>

enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40, MASKS_AT = FILE_HEADER + INFO_HEADER };
enum { MOST_A_BYTE = 256 }; /* a run has up to 255 pixels */
enum { PLAIN, RLE8, RLE4, MASKED, MASKED_ALPHA = 6 };

static uint32_t word(const uint8_t *b) { return (uint32_t)b[0] | (uint32_t)b[1] << 8; }
static uint32_t number(const uint8_t *b) { return word(b) | word(b + 2) << 16; }
static long signed_number(const uint8_t *b) {
    const uint32_t n = number(b);
    return n & 0x80000000u ? -(long)(~n + 1u) : (long)n;
}

static tips_status read_sizes(bmp *b) {
    const uint8_t *h = b->bytes + FILE_HEADER;
    const bool is_core = b->header == CORE_HEADER;
    const long height = is_core ? (long)word(h + 6) : signed_number(h + 8);
    b->width = is_core ? (long)word(h + 4) : signed_number(h + 4);
    b->top_down = height < 0;
    b->height = height < 0 ? -height : height;
    b->bits = (int)word(h + (is_core ? 10 : 14));
    b->compression = is_core ? PLAIN : number(h + 16);
    return TIPS_OK;
}

/* Who has masks has few bits more than a header of the first kind, or lists them behind it. */
static tips_status read_masks(bmp *b) {
    static const uint32_t usual[2][3] = {{0x7c00, 0x3e0, 0x1f}, {0xff0000, 0xff00, 0xff}};
    if (b->bits <= 8) return TIPS_OK;
    for (int k = 0; k < 3; k++) b->mask[k] = usual[b->bits > 16][k];
    if (b->compression == PLAIN) return TIPS_OK;
    if (b->size < MASKS_AT + 12) TIPS_FAIL(TIPS_FORMAT, "%s: cut short in its header", b->path);
    for (int k = 0; k < 3; k++) b->mask[k] = number(b->bytes + MASKS_AT + 4 * k);
    return TIPS_OK;
}

static tips_status read_palette(bmp *b) {
    const bool is_core = b->header == CORE_HEADER;
    const size_t entry = is_core ? 3 : 4, at = FILE_HEADER + b->header;
    const uint32_t given = is_core ? 0 : number(b->bytes + FILE_HEADER + 32);
    if (b->bits > 8) return TIPS_OK;
    size_t count = given > 0 && given < 1u << b->bits ? given : 1u << b->bits;
    if (b->pixels_at > at && (b->pixels_at - at) / entry < count) count = (b->pixels_at - at) / entry;
    if (at + entry * count > b->size) TIPS_FAIL(TIPS_FORMAT, "%s: cut short in its palette", b->path);
    b->colours.count = (int)count;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++) b->colours.rgb[i][k] = b->bytes[at + entry * i + 2 - k];
    return TIPS_OK;
}

static bool fits(const bmp *b) {
    const int n = b->bits;
    switch (b->compression) {
    case PLAIN: return n == 1 || n == 4 || n == 8 || n == 16 || n == 24 || n == 32;
    case RLE8: return n == 8 && !b->top_down;
    case RLE4: return n == 4 && !b->top_down;
    case MASKED:
    case MASKED_ALPHA: return (n == 16 || n == 32) && b->header >= INFO_HEADER;
    default: return false;
    }
}

static tips_status read_header(bmp *b) {
    if (b->size < FILE_HEADER + 4) TIPS_FAIL(TIPS_FORMAT, "%s: cut short in its header", b->path);
    b->pixels_at = number(b->bytes + 10);
    b->header = number(b->bytes + FILE_HEADER);
    const bool is_known = b->header == CORE_HEADER || (b->header >= INFO_HEADER && b->header <= 1024);
    if (!is_known) TIPS_FAIL(TIPS_FORMAT, "%s: a BMP file with a header of %zu bytes", b->path, b->header);
    if (b->size < FILE_HEADER + b->header) TIPS_FAIL(TIPS_FORMAT, "%s: cut short in its header", b->path);
    TIPS_TRY(read_sizes(b));
    if (!fits(b))
        TIPS_FAIL(TIPS_FORMAT, "%s: a BMP file of %d bits and compression %u is not read", b->path, b->bits,
                  (unsigned)b->compression);
    TIPS_TRY(read_masks(b));
    return read_palette(b);
}

/* The bits of a mask, stretched to 0..255. */
static uint8_t masked(uint32_t pixel, uint32_t mask) {
    if (mask == 0) return 0;
    while (!(mask & 1)) mask >>= 1, pixel >>= 1;
    return (uint8_t)((uint64_t)(pixel & mask) * 255 / mask);
}

static void read_colours(const bmp *b, const uint8_t *row, uint8_t *out) {
    const int bytes = b->bits / 8;
    for (long x = 0; x < b->width; x++, row += bytes, out += 3) {
        uint32_t pixel = 0;
        for (int i = 0; i < bytes; i++) pixel |= (uint32_t)row[i] << 8 * i;
        for (int k = 0; k < 3; k++) out[k] = masked(pixel, b->mask[k]);
    }
}

static tips_status read_numbers(const bmp *b, const uint8_t *row, int y, tips_image *image) {
    const int each = 8 / b->bits;
    for (int x = 0; x < image->w; x++) {
        const int shift = 8 - b->bits * (x % each + 1), value = row[x / each] >> shift & ((1 << b->bits) - 1);
        if (!tips__colours_put(&b->colours, value, y, x, image))
            TIPS_FAIL(TIPS_FORMAT, "%s: a pixel of colour %d of %d", b->path, value, b->colours.count);
    }
    return TIPS_OK;
}

static tips_status read_rows(const bmp *b, tips_image *image) {
    const size_t stride = ((size_t)b->width * (size_t)b->bits + 31) / 32 * 4, row = (size_t)image->w * (size_t)image->c;
    if (b->pixels_at > b->size || (b->size - b->pixels_at) / stride < (size_t)b->height)
        TIPS_FAIL(TIPS_FORMAT, "%s: cut short, %zu rows of %zu bytes should follow", b->path, (size_t)b->height,
                  stride);
    for (int i = 0; i < image->h; i++) {
        const uint8_t *from = b->bytes + b->pixels_at + (size_t)i * stride;
        const int y = b->top_down ? i : image->h - 1 - i;
        if (b->bits > 8) read_colours(b, from, image->pixels + (size_t)y * row);
        else TIPS_TRY(read_numbers(b, from, y, image));
    }
    return TIPS_OK;
}

tips_status tips__image_read_bmp(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    bmp b = {.path = path, .bytes = bytes, .size = size};
    tips_image image;
    TIPS_TRY(read_header(&b));
    TIPS_TRY(tips__image_claim(path, b.width, b.height, size, MOST_A_BYTE));
    TIPS_TRY(
        tips__image_allocate(path, b.width, b.height, b.bits > 8 ? 3 : tips__colours_channels(&b.colours), &image));
    const bool has_runs = b.compression == RLE8 || b.compression == RLE4;
    const tips_status status = has_runs ? tips__bmp_read_runs(&b, &image) : read_rows(&b, &image);
    if (status != TIPS_OK) tips__image_free(&image);
    else *out = image;
    return status;
}
