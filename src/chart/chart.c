/* Charts as a whole: their size, as an element of a page, as files. */
#include "chart/chart_parts.h"

#include "chart/pen_cairo.h"
#include "core/atomic_file.h"
#include "core/fail.h"

#include <math.h>
#include <stdio.h>

enum { LINES_PLOT = 210, PATH_SIZE = 4096 };
static const double pixels_per_unit = 2;

double tips__chart_width(const tips_chart *c) {
    switch (c->kind) {
    case TIPS_CHART_DOTS: return tips__chart_dots_width(c);
    case TIPS_CHART_HEAT: return tips__chart_heat_width(c);
    default: return CHART_WIDTH;
    }
}

double tips__chart_height(const tips_chart *c) {
    switch (c->kind) {
    case TIPS_CHART_BARS: return tips__chart_bars_height(c);
    case TIPS_CHART_DOTS: return tips__chart_dots_height(c);
    case TIPS_CHART_HEAT: return tips__chart_heat_height(c);
    default: return tips__chart_head(c) + LINES_PLOT + 52 + tips__chart_lines_extra(c);
    }
}

void tips__chart_draw(tips_pen *pen, const tips_chart *c) {
    tips__chart_draw_head(pen, c);
    switch (c->kind) {
    case TIPS_CHART_BARS: tips__chart_draw_bars(pen, c); break;
    case TIPS_CHART_DOTS: tips__chart_draw_dots(pen, c); break;
    case TIPS_CHART_HEAT: tips__chart_draw_heat(pen, c); break;
    default: tips__chart_draw_lines(pen, c);
    }
}

static void open_svg(tips_text *out, const char *attributes, double w, double h, const tips_chart *c) {
    tips__text_print(out, "<svg%s viewBox=\"0 0 ", attributes);
    tips__text_short(out, w, 1);
    tips__text_add(out, " ");
    tips__text_short(out, h, 1);
    tips__text_print(out, "\" role=\"img\" aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">", c->name, c->name,
                     c->name);
    tips__xml_escape(out, c->title);
    tips__text_print(out, "</title><desc id=\"%s-d\">", c->name);
    tips__xml_escape(out, c->description);
    tips__text_add(out, "</desc>");
}

void tips__chart_inline(tips_text *out, const tips_chart *c) {
    tips_svg_pen pen = tips__svg_pen(out);
    open_svg(out, "", tips__chart_width(c), tips__chart_height(c), c);
    tips__chart_draw(&pen.pen, c);
    out->failed |= pen.pen.failed;
    tips__text_add(out, "</svg>");
}

/* Charts side by side on one paper. */
typedef struct sheet {
    const tips_chart *const *charts;
    int count;
    double w, h;
} sheet;

static void draw_sheet(tips_pen *pen, const void *context) {
    const sheet *s = context;
    for (int i = 0; i < s->count; i++) {
        tips__chart_draw(pen, s->charts[i]);
        pen->origin.x += tips__chart_width(s->charts[i]);
    }
}

static void write_svg(tips_text *out, const sheet *s) {
    tips_svg_pen pen = tips__svg_pen(out);
    char attributes[128];
    snprintf(attributes, sizeof attributes, " xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"",
             (int)s->w, (int)s->h);
    open_svg(out, attributes, s->w, s->h, s->charts[0]);
    tips__text_add(out, "<style>");
    tips__svg_style(out, false);
    tips__text_add(out, "</style>");
    pen.pen.rect(&pen.pen, 0, 0, s->w, s->h, &(tips_style){.fill = TIPS_PAINT_PAPER});
    draw_sheet(&pen.pen, s);
    out->failed |= pen.pen.failed;
    tips__text_add(out, "</svg>\n");
}

static tips_status name_file(const char *folder, const char *name, const char *ending, char out[PATH_SIZE]) {
    const int length = snprintf(out, PATH_SIZE, "%s/%s.%s", folder, name, ending);
    if (length < 0 || length >= PATH_SIZE) TIPS_FAIL(TIPS_INVALID, "the path %.60s... is too long", folder);
    return TIPS_OK;
}

tips_status tips__charts_save(const tips_chart *const *charts, int count, const char *folder, const char *name) {
    char path[PATH_SIZE];
    tips_text text = {0};
    sheet s = {.charts = charts, .count = count};
    for (int i = 0; i < count; i++) {
        s.w += tips__chart_width(charts[i]);
        s.h = fmax(s.h, tips__chart_height(charts[i]));
    }
    TIPS_TRY(name_file(folder, name, "svg", path));
    write_svg(&text, &s);
    tips_status status = tips__text_check(&text);
    if (status == TIPS_OK) status = tips__atomic_save(path, text.data, text.length);
    tips__text_clear(&text);
    TIPS_TRY(status);
    if (!tips__has_cairo()) return TIPS_OK;
    TIPS_TRY(name_file(folder, name, "png", path));
    return tips__draw_png(path, s.w, s.h, pixels_per_unit, draw_sheet, &s);
}
