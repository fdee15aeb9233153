/* Primitives as SVG elements: paints are classes, so that one style sheet colours all drawings of a page. */
#include "chart/pen.h"

static void add_number(tips_text *out, const char *name, double value) {
    tips__text_print(out, " %s=\"", name);
    tips__text_short(out, value, 1);
    tips__text_add(out, "\"");
}

static void add_paint(tips_text *out, const char *property, const char *letter, int paint, bool *open) {
    if (paint >= TIPS_PAINT_RGB) {
        tips__text_print(out, " %s=\"#%06x\"", property, (unsigned)(paint - TIPS_PAINT_RGB));
    } else if (paint != TIPS_PAINT_NONE) {
        tips__text_print(out, "%s%s%s", *open ? " " : " class=\"", letter, tips__paint_names[paint]);
        *open = true;
    }
}

static void add_style(tips_text *out, const tips_style *s) {
    bool open = false;
    /* classes first, as one attribute */
    if (s->fill < TIPS_PAINT_RGB) add_paint(out, "fill", "f", s->fill, &open);
    if (s->stroke < TIPS_PAINT_RGB) add_paint(out, "stroke", "l", s->stroke, &open);
    if (open) tips__text_add(out, "\"");
    if (s->fill >= TIPS_PAINT_RGB) add_paint(out, "fill", "f", s->fill, &open);
    if (s->stroke >= TIPS_PAINT_RGB) add_paint(out, "stroke", "l", s->stroke, &open);
    if (s->fill == TIPS_PAINT_NONE) tips__text_add(out, " fill=\"none\"");
    if (s->stroke != TIPS_PAINT_NONE) add_number(out, "stroke-width", s->width);
    if (s->opacity > 0) {
        tips__text_add(out, " fill-opacity=\"");
        tips__text_short(out, s->opacity, 2);
        tips__text_add(out, "\"");
    }
    if (s->dash == 0) return;
    tips__text_add(out, " stroke-dasharray=\"");
    for (int i = 0; i < TIPS_DASH_PARTS; i++) {
        if (i > 0) tips__text_add(out, " ");
        tips__text_short(out, tips__dashes[s->dash][i], 1);
    }
    tips__text_add(out, "\"");
}

static tips_text *out_of(tips_pen *pen) { return ((tips_svg_pen *)pen)->out; }

static void path(tips_pen *pen, const tips_point *points, int count, const tips_style *style) {
    tips_text *out = out_of(pen);
    tips__text_add(out, "<path d=\"");
    for (int i = 0; i < count; i++) {
        tips__text_add(out, i == 0 ? "M" : "L");
        tips__text_short(out, points[i].x + pen->origin.x, 1);
        tips__text_add(out, " ");
        tips__text_short(out, points[i].y + pen->origin.y, 1);
    }
    tips__text_add(out, style->closed ? "Z\"" : "\"");
    add_style(out, style);
    tips__text_add(out, "/>");
}

static void rect(tips_pen *pen, double x, double y, double w, double h, const tips_style *style) {
    tips_text *out = out_of(pen);
    tips__text_add(out, "<rect");
    add_number(out, "x", x + pen->origin.x), add_number(out, "y", y + pen->origin.y);
    add_number(out, "width", w), add_number(out, "height", h);
    add_style(out, style);
    tips__text_add(out, "/>");
}

static void circle(tips_pen *pen, double x, double y, double r, const tips_style *style) {
    tips_text *out = out_of(pen);
    tips__text_add(out, "<circle");
    add_number(out, "cx", x + pen->origin.x), add_number(out, "cy", y + pen->origin.y), add_number(out, "r", r);
    add_style(out, style);
    tips__text_add(out, "/>");
}

static void text(tips_pen *pen, double x, double y, const char *words, const tips_style *style) {
    static const char *const anchors[] = {"start", "middle", "end"};
    tips_text *out = out_of(pen);
    x += pen->origin.x, y += pen->origin.y;
    tips__text_add(out, "<text");
    if (style->upward) {
        tips__text_add(out, " transform=\"translate(");
        tips__text_short(out, x, 1);
        tips__text_add(out, " ");
        tips__text_short(out, y, 1);
        tips__text_add(out, ") rotate(-90)\"");
    } else {
        add_number(out, "x", x), add_number(out, "y", y);
    }
    add_number(out, "font-size", style->size);
    if (style->anchor != TIPS_ANCHOR_START) tips__text_print(out, " text-anchor=\"%s\"", anchors[style->anchor]);
    if (style->bold) tips__text_add(out, " font-weight=\"600\"");
    tips_style plain = *style;
    plain.stroke = TIPS_PAINT_NONE;
    add_style(out, &plain);
    tips__text_add(out, ">");
    tips__xml_escape(out, words);
    tips__text_add(out, "</text>");
}

tips_svg_pen tips__svg_pen(tips_text *out) {
    return (tips_svg_pen){.pen = {.path = path, .rect = rect, .circle = circle, .text = text}, .out = out};
}

void tips__svg_style(tips_text *out, bool variables) {
    static const struct { const char *letter, *property; } uses[] = {{"f", "fill"}, {"l", "stroke"}};
    tips__text_add(out, "text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,Helvetica,Arial,sans-serif}\n");
    for (int paint = TIPS_PAINT_INK; paint < TIPS_PAINTS; paint++)
        for (int u = 0; u < 2; u++) {
            tips__text_print(out, ".%s%s{%s:", uses[u].letter, tips__paint_names[paint], uses[u].property);
            if (variables) tips__text_print(out, "var(--%s)}\n", tips__paint_names[paint]);
            else tips__text_print(out, "#%06x}\n", (unsigned)tips__paint_light[paint]);
        }
}
