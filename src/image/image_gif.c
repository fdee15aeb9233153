/* The first picture of a GIF file, on the file's background where it is smaller. Transparency is dropped. A palette of
 * greys makes a grey picture. */
#include "image/gif_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

enum { MOST_A_BYTE = 4096 }; /* a code of 12 bits stands for that many pixels */
enum { SCREEN_SIZE = 13, DESCRIPTOR_SIZE = 9, EXTENSION = 0x21, PICTURE = 0x2c, HAS_COLOURS = 0x80, INTERLACED = 0x40 };

typedef struct gif {
    gif_bytes in;
    int screen[2], size[2], corner[2]; /* height, width; of the picture; where it lies */
    tips_colours global, own;
    int background;
    bool interlaced;
} gif;

static int word(const uint8_t *b) { return b[0] | b[1] << 8; }

static tips_status read_colours(gif_bytes *in, int flags, tips_colours *out) {
    out->count = 2 << (flags & 7);
    for (int i = 0; i < out->count; i++) {
        const uint8_t *rgb = tips__gif_take(in, 3);
        if (!rgb) TIPS_FAIL(TIPS_FORMAT, "%s: cut short in its colours", in->path);
        memcpy(out->rgb[i], rgb, 3);
    }
    return TIPS_OK;
}

static tips_status read_screen(gif *g) {
    const uint8_t *screen = tips__gif_take(&g->in, SCREEN_SIZE);
    if (!screen) TIPS_FAIL(TIPS_FORMAT, "%s: cut short in its header", g->in.path);
    g->screen[0] = word(screen + 8);
    g->screen[1] = word(screen + 6);
    g->background = screen[11];
    return screen[10] & HAS_COLOURS ? read_colours(&g->in, screen[10], &g->global) : TIPS_OK;
}

/* Passes over extensions; comments, times and transparency among them. */
static tips_status find_picture(gif *g) {
    for (const uint8_t *kind; (kind = tips__gif_take(&g->in, 1));) {
        if (*kind == PICTURE) return TIPS_OK;
        if (*kind != EXTENSION || !tips__gif_take(&g->in, 1)) break;
        const uint8_t *length;
        while ((length = tips__gif_take(&g->in, 1)) && *length) (void)tips__gif_take(&g->in, *length);
    }
    TIPS_FAIL(TIPS_FORMAT, "%s: there is no picture in it, or it is cut short", g->in.path);
}

static tips_status read_descriptor(gif *g) {
    const uint8_t *d = tips__gif_take(&g->in, DESCRIPTOR_SIZE);
    if (!d) TIPS_FAIL(TIPS_FORMAT, "%s: cut short before its picture", g->in.path);
    for (int i = 0; i < 2; i++) {
        g->corner[i] = word(d + 2 - 2 * i);
        g->size[i] = word(d + 6 - 2 * i);
        if (g->corner[i] + g->size[i] > g->screen[i]) g->screen[i] = g->corner[i] + g->size[i];
    }
    g->interlaced = d[8] & INTERLACED;
    if (d[8] & HAS_COLOURS) TIPS_TRY(read_colours(&g->in, d[8], &g->own));
    else g->own = g->global;
    if (g->own.count == 0) TIPS_FAIL(TIPS_FORMAT, "%s: a picture without colours", g->in.path);
    return TIPS_OK;
}

/* The row of the picture that comes as number i. */
static int row_of(const gif *g, int i) {
    static const int first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
    for (int pass = 0; g->interlaced && pass < 4; pass++) {
        const int rows = (g->size[0] - first[pass] + step[pass] - 1) / step[pass];
        if (i < rows) return first[pass] + i * step[pass];
        if (rows > 0) i -= rows;
    }
    return i;
}

static tips_status paint(const gif *g, const uint8_t *numbers, tips_image *image) {
    for (int i = 0; i < g->size[0]; i++)
        for (int x = 0, y = g->corner[0] + row_of(g, i); x < g->size[1]; x++)
            if (!tips__colours_put(&g->own, *numbers++, y, g->corner[1] + x, image))
                TIPS_FAIL(TIPS_FORMAT, "%s: a pixel of colour %d of %d", g->in.path, numbers[-1], g->own.count);
    return TIPS_OK;
}

static void fill_background(const gif *g, tips_image *image) {
    for (int y = 0; y < image->h; y++)
        for (int x = 0; x < image->w; x++) (void)tips__colours_put(&g->global, g->background, y, x, image);
}

static bool is_covered(const gif *g) { return g->size[0] == g->screen[0] && g->size[1] == g->screen[1]; }

static int channels_of(const gif *g) {
    const int own = tips__colours_channels(&g->own);
    return is_covered(g) ? own : own > tips__colours_channels(&g->global) ? own : tips__colours_channels(&g->global);
}

static tips_status read_picture(gif *g, tips_image *image) {
    const size_t count = (size_t)g->size[0] * (size_t)g->size[1];
    uint8_t *numbers;
    if (!is_covered(g)) fill_background(g, image);
    TIPS_TRY(tips__new(&numbers, count, "the pixels of a GIF file"));
    tips_status status = tips__gif_unpack(&g->in, numbers, count);
    if (status == TIPS_OK) status = paint(g, numbers, image);
    tips__free(numbers);
    return status;
}

tips_status tips__image_read_gif(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    gif g = {.in = {path, bytes, size}};
    tips_image image;
    TIPS_TRY(read_screen(&g));
    TIPS_TRY(find_picture(&g));
    TIPS_TRY(read_descriptor(&g));
    if (g.size[0] < 1 || g.size[1] < 1) TIPS_FAIL(TIPS_FORMAT, "%s: its picture has no pixels", path);
    TIPS_TRY(tips__image_claim(path, g.screen[1], g.screen[0], size, MOST_A_BYTE));
    TIPS_TRY(tips__image_allocate(path, g.screen[1], g.screen[0], channels_of(&g), &image));
    const tips_status status = read_picture(&g, &image);
    if (status != TIPS_OK) tips__image_free(&image);
    else *out = image;
    return status;
}
