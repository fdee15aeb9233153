/* One row a category: a dot for each series, joined by a line, with whiskers. */
#include "chart/chart_parts.h"

#include <math.h>

enum { ROW = 40, USUAL_NAME = 190 };
static const double broad = 1.15; /* bold letters of some fonts, against what is expected of them */

double tips__chart_dots_height(const tips_chart *c) { return tips__chart_head(c) + ROW * c->n_categories + 58; }

static double name_width(const tips_chart *c) {
    double widest = 40;
    for (int i = 0; i < c->n_categories; i++)
        widest = fmax(widest, broad * tips__text_width(c->categories[i], CHART_LABEL + 1, true));
    return widest;
}

/* Names that are longer than usual widen the chart: they are not cut off. */
double tips__chart_dots_width(const tips_chart *c) { return CHART_WIDTH + fmax(0, name_width(c) - USUAL_NAME); }

static void draw_dot(tips_pen *pen, const tips_chart *c, const tips_chart_series *s, int i, double y,
                     const chart_frame *f, double low, double high) {
    const double scale = (f->right - f->left) / (high - low), x = f->left + (s->y[i] - low) * scale;
    const int paint = tips__look_paint(c->looks[i]);
    if (!isfinite(s->y[i])) return;
    if (s->low && s->high && isfinite(s->low[i]) && isfinite(s->high[i])) {
        const double from = f->left + (fmax(s->low[i], low) - low) * scale,
                     to = f->left + (fmin(s->high[i], high) - low) * scale;
        tips__chart_line(pen, from, y, to, y, paint, 1.6);
        tips__chart_line(pen, from, y - 4, from, y + 4, paint, 1.6);
        tips__chart_line(pen, to, y - 4, to, y + 4, paint, 1.6);
    }
    tips__chart_marker(pen, x, y, s->look, paint, 5.5);
}

void tips__chart_draw_dots(tips_pen *pen, const tips_chart *c) {
    const chart_frame f = {CHART_EDGE + name_width(c) + 12, tips__chart_head(c) + 4, tips__chart_width(c) - 22,
                           tips__chart_height(c) - 46};
    double low, high;
    tips__chart_range(c, &low, &high);
    const chart_ticks t = tips__chart_ticks(low, high, 6, false);
    for (int i = 0; i < t.count; i++) {
        const double x = f.left + (t.at[i] - low) / (high - low) * (f.right - f.left);
        tips__chart_line(pen, x, f.top, x, f.bottom, TIPS_PAINT_GRID, 1);
        tips__chart_number(pen, x, f.bottom + 17, t.at[i], t.decimals, TIPS_ANCHOR_MIDDLE);
    }
    tips__chart_line(pen, f.left, f.bottom, f.right, f.bottom, TIPS_PAINT_MUTED, 1);
    for (int i = 0; i < c->n_categories; i++) {
        const double y = f.top + (i + 0.5) * ROW;
        pen->text(pen, f.left - 12, y + 4, c->categories[i],
                  &(tips_style){.fill = tips__look_paint(c->looks[i]),
                                .size = CHART_LABEL + 1,
                                .anchor = TIPS_ANCHOR_END,
                                .bold = true});
        for (int s = 0; s < c->n_series; s++)
            draw_dot(pen, c, &c->series[s], i,
                     y + (c->n_series > 1 ? (s * 2 - (c->n_series - 1)) * 8.0 / c->n_series : 0), &f, low, high);
    }
    tips__chart_label(pen, (f.left + f.right) / 2, f.bottom + 35, c->x_label, TIPS_ANCHOR_MIDDLE, TIPS_PAINT_MUTED,
                      CHART_LABEL);
}
