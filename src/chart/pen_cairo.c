/* The only file that knows cairo. */
#include "chart/pen_cairo.h"

#include "core/fail.h"

#ifdef TIPS_HAVE_CAIRO
#include "core/atomic_file.h"
#include "core/utf8.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

typedef struct cairo_pen {
    tips_pen pen;
    cairo_t *cairo;
} cairo_pen;

bool tips__has_cairo(void) { return true; }

static void choose(cairo_t *c, int paint, double opacity) {
    const uint32_t rgb = paint >= TIPS_PAINT_RGB ? (uint32_t)(paint - TIPS_PAINT_RGB) : tips__paint_light[paint];
    cairo_set_source_rgba(c, (double)(rgb >> 16) / 255, (double)(rgb >> 8 & 255) / 255, (double)(rgb & 255) / 255,
                          opacity > 0 ? opacity : 1);
}

static void finish(cairo_t *c, const tips_style *s) {
    if (s->fill != TIPS_PAINT_NONE) {
        choose(c, s->fill, s->opacity);
        cairo_fill_preserve(c);
    }
    if (s->stroke != TIPS_PAINT_NONE) {
        choose(c, s->stroke, 1);
        cairo_set_line_width(c, s->width);
        cairo_set_dash(c, tips__dashes[s->dash], s->dash ? TIPS_DASH_PARTS : 0, 0);
        cairo_stroke_preserve(c);
    }
    cairo_new_path(c);
}

static void path(tips_pen *pen, const tips_point *points, int count, const tips_style *style) {
    cairo_t *c = ((cairo_pen *)pen)->cairo;
    for (int i = 0; i < count; i++) cairo_line_to(c, points[i].x + pen->origin.x, points[i].y + pen->origin.y);
    if (style->closed) cairo_close_path(c);
    finish(c, style);
}

static void rect(tips_pen *pen, double x, double y, double w, double h, const tips_style *style) {
    cairo_t *c = ((cairo_pen *)pen)->cairo;
    cairo_rectangle(c, x + pen->origin.x, y + pen->origin.y, w, h);
    finish(c, style);
}

static void circle(tips_pen *pen, double x, double y, double r, const tips_style *style) {
    cairo_t *c = ((cairo_pen *)pen)->cairo;
    cairo_arc(c, x + pen->origin.x, y + pen->origin.y, r, 0, 2 * acos(-1));
    finish(c, style);
}

/* Bytes that are not UTF-8 would stop cairo. */
static void show(cairo_t *c, const char *words, const tips_style *s) {
    char clean[512];
    size_t length = 0;
    for (size_t step; *words && length + 5 < sizeof clean; words += step) {
        uint32_t code_point;
        step = tips__utf8_decode(words, &code_point);
        memcpy(clean + length, step ? words : "?", step ? step : 1);
        step = step ? step : 1;
        length += step;
    }
    clean[length] = '\0';
    cairo_text_extents_t extents;
    cairo_text_extents(c, clean, &extents);
    const double share = s->anchor == TIPS_ANCHOR_START ? 0 : s->anchor == TIPS_ANCHOR_MIDDLE ? 0.5 : 1;
    cairo_rel_move_to(c, -share * extents.x_advance, 0);
    cairo_show_text(c, clean);
}

static void text(tips_pen *pen, double x, double y, const char *words, const tips_style *style) {
    cairo_t *c = ((cairo_pen *)pen)->cairo;
    cairo_save(c);
    cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           style->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c, style->size);
    choose(c, style->fill, style->opacity);
    cairo_translate(c, x + pen->origin.x, y + pen->origin.y);
    if (style->upward) cairo_rotate(c, -acos(-1) / 2);
    cairo_move_to(c, 0, 0);
    show(c, words, style);
    cairo_restore(c);
    cairo_new_path(c);
}

static cairo_status_t write_bytes(void *file, const unsigned char *data, unsigned int bytes) {
    return tips__atomic_write(file, data, bytes) == TIPS_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static tips_status write_surface(const char *path, cairo_surface_t *surface) {
    tips_atomic_file *file;
    TIPS_TRY(tips__atomic_open(path, &file));
    const cairo_status_t status = cairo_surface_write_to_png_stream(surface, write_bytes, file);
    if (status == CAIRO_STATUS_SUCCESS) return tips__atomic_commit(file);
    tips__atomic_abandon(file);
    if (status == CAIRO_STATUS_WRITE_ERROR) return TIPS_IO; /* the write has said why */
    TIPS_FAIL(status == CAIRO_STATUS_NO_MEMORY ? TIPS_MEMORY : TIPS_IO, "%s: cannot be written: %s", path,
              cairo_status_to_string(status));
}

tips_status tips__draw_png(const char *path_name, double w, double h, double scale, tips_draw draw,
                           const void *context) {
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(w * scale), (int)ceil(h * scale));
    cairo_pen p = {.pen = {.path = path, .rect = rect, .circle = circle, .text = text}, .cairo = cairo_create(surface)};
    cairo_scale(p.cairo, scale, scale);
    choose(p.cairo, TIPS_PAINT_PAPER, 1);
    cairo_paint(p.cairo);
    cairo_set_line_join(p.cairo, CAIRO_LINE_JOIN_ROUND);
    draw(&p.pen, context);
    const cairo_status_t drawn = cairo_status(p.cairo);
    tips_status status = p.pen.failed ? tips__fail(TIPS_MEMORY, "out of memory for drawing %s", path_name) : TIPS_OK;
    if (drawn != CAIRO_STATUS_SUCCESS)
        status = tips__fail(drawn == CAIRO_STATUS_NO_MEMORY ? TIPS_MEMORY : TIPS_INVALID, "%s: cannot be drawn: %s",
                            path_name, cairo_status_to_string(drawn));
    cairo_destroy(p.cairo);
    if (status == TIPS_OK) status = write_surface(path_name, surface);
    cairo_surface_destroy(surface);
    return status;
}

tips_status tips__draw_words(const char *words, int h, int w, uint8_t *grey) {
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, w, h);
    cairo_pen p = {.cairo = cairo_create(surface)};
    const double size = fmin(14, 0.8 * h);
    cairo_set_source_rgb(p.cairo, 1, 1, 1);
    cairo_paint(p.cairo);
    text(&p.pen, 2, h / 2.0 + 0.35 * size, words, &(tips_style){.fill = TIPS_PAINT_INK, .size = size});
    const cairo_status_t status = cairo_status(p.cairo);
    cairo_destroy(p.cairo);
    cairo_surface_flush(surface);
    const unsigned char *pixels = cairo_image_surface_get_data(surface);
    const ptrdiff_t stride = cairo_image_surface_get_stride(surface);
    for (int y = 0; y < h && status == CAIRO_STATUS_SUCCESS; y++)
        for (int x = 0; x < w; x++) grey[(ptrdiff_t)y * w + x] = pixels[y * stride + 4 * x];
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        TIPS_FAIL(status == CAIRO_STATUS_NO_MEMORY ? TIPS_MEMORY : TIPS_INVALID, "'%s' cannot be drawn: %s", words,
                  cairo_status_to_string(status));
    return TIPS_OK;
}

#else

bool tips__has_cairo(void) { return false; }

tips_status tips__draw_words(const char *words, int h, int w, uint8_t *grey) {
    (void)h, (void)w, (void)grey;
    TIPS_FAIL(TIPS_UNSUPPORTED, "'%s': this build draws no words (it lacks cairo)", words);
}

tips_status tips__draw_png(const char *path, double w, double h, double scale, tips_draw draw, const void *context) {
    (void)w, (void)h, (void)scale, (void)draw, (void)context;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build draws no PNG (it lacks cairo)", path);
}

#endif
