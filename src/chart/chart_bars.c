/* Groups of bars with whiskers. Names of groups that would meet are read upward. */
#include "chart/chart_parts.h"

#include <math.h>

static double group_width(const tips_chart *c) {
    return (CHART_WIDTH - 16.0 - (CHART_EDGE + 46)) / (c->n_categories > 0 ? c->n_categories : 1);
}

static double widest_name(const tips_chart *c) {
    double widest = 0;
    for (int i = 0; i < c->n_categories; i++)
        widest = fmax(widest, tips__text_width(c->categories[i], CHART_LABEL, false));
    return widest;
}

static bool is_upward(const tips_chart *c) { return widest_name(c) + 8 > group_width(c); }

/* Below the bars. */
static double names_height(const tips_chart *c) { return is_upward(c) ? widest_name(c) + 22 : 30; }

double tips__chart_bars_height(const tips_chart *c) { return tips__chart_head(c) + 200 + names_height(c); }

static void draw_name(tips_pen *pen, const char *name, double centre, double bottom, bool upward) {
    const tips_style style = {.fill = TIPS_PAINT_MUTED,
                              .anchor = upward ? TIPS_ANCHOR_END : TIPS_ANCHOR_MIDDLE,
                              .size = CHART_LABEL,
                              .upward = upward};
    pen->text(pen, upward ? centre + 4 : centre, bottom + (upward ? 8 : 17), name, &style);
}

static void draw_bar(tips_pen *pen, const tips_chart_series *s, int i, double x, double w, const chart_frame *f,
                     double low, double high) {
    const double scale = (f->bottom - f->top) / (high - low), y = f->bottom - (s->y[i] - low) * scale;
    if (!isfinite(s->y[i])) return;
    pen->rect(pen, x, y, w, fmax(f->bottom - y, 0.6), &(tips_style){.fill = tips__look_paint(s->look)});
    if (!s->low || !s->high || !isfinite(s->low[i]) || !isfinite(s->high[i])) return;
    const double centre = x + w / 2, top = f->bottom - (fmin(s->high[i], high) - low) * scale,
                 bottom = f->bottom - (fmax(s->low[i], low) - low) * scale, half = fmin(w / 4, 4);
    if (bottom - top < 2) return;
    tips__chart_line(pen, centre, top, centre, bottom, TIPS_PAINT_INK, 1.2);
    tips__chart_line(pen, centre - half, top, centre + half, top, TIPS_PAINT_INK, 1.2);
    tips__chart_line(pen, centre - half, bottom, centre + half, bottom, TIPS_PAINT_INK, 1.2);
}

void tips__chart_draw_bars(tips_pen *pen, const tips_chart *c) {
    const chart_frame f = {CHART_EDGE + 46, tips__chart_head(c) + 6, CHART_WIDTH - 16,
                           tips__chart_height(c) - names_height(c)};
    const bool upward = is_upward(c);
    const double group = group_width(c), bar = fmin(group * 0.78 / (c->n_series > 0 ? c->n_series : 1), 34);
    double low, high;
    tips__chart_range(c, &low, &high);
    tips__chart_y_axis(pen, c, &f, low, high);
    for (int i = 0; i < c->n_categories; i++) {
        const double centre = f.left + (i + 0.5) * group, x = centre - bar * c->n_series / 2;
        for (int s = 0; s < c->n_series; s++)
            draw_bar(pen, &c->series[s], i, x + s * bar + 0.5, bar - 1, &f, low, high);
        draw_name(pen, c->categories[i], centre, f.bottom, upward);
    }
}
