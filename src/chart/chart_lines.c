/* Lines over x, with a band where the values have an interval. Later lines are dashed, so that equal ones show both.
 * Points on the same axes have no lines, and an area where they are bubbles. */
#include "chart/chart_parts.h"

#include "core/memory.h"

#include <math.h>

enum { INSET = 12, LAST_NAME = 54 }; /* of the first and the last x; what fits below the last */
static const double broad = 1.15;    /* letters of some fonts, against what is expected of them */

typedef struct scales {
    chart_frame f;
    double x_low, x_high, low, high;
} scales;

static tips_point place(const scales *s, double x, double y) {
    const double width = s->x_high - s->x_low;
    return (tips_point){s->f.left + INSET +
                            (width > 0 ? (x - s->x_low) / width : 0.5) * (s->f.right - s->f.left - 2 * INSET),
                        s->f.bottom - (y - s->low) / (s->high - s->low) * (s->f.bottom - s->f.top)};
}

static void find_x(const tips_chart *c, scales *s) {
    s->x_low = INFINITY, s->x_high = -INFINITY;
    for (int i = 0; i < c->n_series; i++)
        for (int k = 0; k < c->series[i].count; k++) {
            if (!isfinite(c->series[i].x[k])) continue;
            s->x_low = fmin(s->x_low, c->series[i].x[k]);
            s->x_high = fmax(s->x_high, c->series[i].x[k]);
        }
    if (c->categories) s->x_low = 0, s->x_high = c->n_categories - 1;
    if (s->x_low > s->x_high) s->x_low = 0, s->x_high = 1;
}

static double widest_name(const tips_chart *c) {
    double widest = 0;
    for (int i = 0; i < c->n_categories; i++)
        widest = fmax(widest, broad * tips__text_width(c->categories[i], CHART_LABEL, false));
    return widest;
}

/* Names stand upright where they do not fit beside each other. */
static bool is_upright(const tips_chart *c) {
    return c->n_categories > 1 && widest_name(c) > fmin(LAST_NAME, (CHART_WIDTH - 98.0) / (c->n_categories - 1) - 8);
}

double tips__chart_lines_extra(const tips_chart *c) { return is_upright(c) ? fmax(0, widest_name(c) - 8) : 0; }

static void draw_names(tips_pen *pen, const tips_chart *c, const scales *s) {
    const bool upright = is_upright(c);
    for (int i = 0; i < c->n_categories; i++) {
        const tips_point at = place(s, i, s->low);
        tips__chart_line(pen, at.x, at.y, at.x, at.y + 4, TIPS_PAINT_MUTED, 1);
        pen->text(pen, upright ? at.x + 4 : at.x, at.y + (upright ? 8 : 17), c->categories[i],
                  &(tips_style){.fill = TIPS_PAINT_MUTED,
                                .size = CHART_LABEL,
                                .anchor = upright ? TIPS_ANCHOR_END : TIPS_ANCHOR_MIDDLE,
                                .upward = upright});
    }
}

static void draw_x_axis(tips_pen *pen, const tips_chart *c, const scales *s) {
    const chart_ticks t = tips__chart_ticks(s->x_low, s->x_high, 8, !c->x_parts);
    if (c->categories) draw_names(pen, c, s);
    for (int i = 0; !c->categories && i < t.count; i++) {
        const tips_point at = place(s, t.at[i], s->low);
        tips__chart_line(pen, at.x, at.y, at.x, at.y + 4, TIPS_PAINT_MUTED, 1);
        tips__chart_number(pen, at.x, at.y + 17, t.at[i], t.decimals, TIPS_ANCHOR_MIDDLE);
    }
    tips__chart_label(pen, (s->f.left + s->f.right) / 2, s->f.bottom + 35 + tips__chart_lines_extra(c), c->x_label,
                      TIPS_ANCHOR_MIDDLE, TIPS_PAINT_MUTED, CHART_LABEL);
}

static void draw_band(tips_pen *pen, const tips_chart_series *s, const scales *k, tips_point *points) {
    int n = 0;
    if (!s->low || !s->high || s->count < 2) return;
    for (int i = 0; i < s->count; i++) {
        if (!isfinite(s->low[i]) || !isfinite(s->high[i])) return;
        points[n++] = place(k, s->x[i], fmin(s->high[i], k->high));
    }
    for (int i = s->count - 1; i >= 0; i--) points[n++] = place(k, s->x[i], fmax(s->low[i], k->low));
    pen->path(pen, points, n, &(tips_style){.fill = tips__look_paint(s->look), .opacity = 0.16, .closed = true});
}

static void draw_line(tips_pen *pen, const tips_chart_series *s, const scales *k, tips_point *points) {
    const int paint = tips__look_paint(s->look);
    const tips_style style = {.stroke = paint, .width = 2.4, .dash = tips__look_dash(s->look)};
    const int every = s->count > 24 ? (s->count + 11) / 12 : 1;
    int n = 0;
    for (int i = 0; i <= s->count; i++) {
        if (i < s->count && isfinite(s->y[i])) points[n++] = place(k, s->x[i], s->y[i]);
        else if (n > 0) {
            if (n > 1) pen->path(pen, points, n, &style);
            n = 0;
        }
    }
    for (int i = 0; i < s->count; i++) {
        if (!isfinite(s->y[i]) || (i % every != 0 && i != s->count - 1)) continue;
        const tips_point at = place(k, s->x[i], s->y[i]);
        tips__chart_marker(pen, at.x, at.y, s->look, paint, 4);
    }
}

/* Rings, so that those behind are seen. */
static void draw_points(tips_pen *pen, const tips_chart_series *s, const scales *k) {
    const int paint = tips__look_paint(s->look);
    for (int i = 0; i < s->count; i++) {
        if (!isfinite(s->y[i]) || !isfinite(s->x[i])) continue;
        const tips_point at = place(k, s->x[i], s->y[i]);
        if (!s->size) tips__chart_marker(pen, at.x, at.y, s->look, paint, 3.5);
        else
            pen->circle(pen, at.x, at.y, 3 + 13 * sqrt(fmax(0, fmin(1, s->size[i]))),
                        &(tips_style){.fill = paint, .opacity = 0.35, .stroke = paint, .width = 1.4});
    }
}

void tips__chart_draw_lines(tips_pen *pen, const tips_chart *c) {
    int most = 1;
    for (int i = 0; i < c->n_series; i++) most = c->series[i].count > most ? c->series[i].count : most;
    tips_point *points = tips__alloc(2 * (size_t)most * sizeof *points);
    scales s = {.f = {CHART_EDGE + 46, tips__chart_head(c) + 6, CHART_WIDTH - 16,
                      tips__chart_height(c) - 46 - tips__chart_lines_extra(c)}};
    pen->failed |= !points;
    if (!points) return;
    tips__chart_range(c, &s.low, &s.high);
    find_x(c, &s);
    tips__chart_y_axis(pen, c, &s.f, s.low, s.high);
    draw_x_axis(pen, c, &s);
    const bool is_lines = c->kind == TIPS_CHART_LINES;
    for (int i = 0; is_lines && i < c->n_series; i++) draw_band(pen, &c->series[i], &s, points);
    for (int i = 0; i < c->n_series; i++)
        if (is_lines) draw_line(pen, &c->series[i], &s, points);
        else draw_points(pen, &c->series[i], &s);
    tips__free(points);
}
