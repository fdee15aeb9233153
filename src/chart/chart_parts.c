/* Ranges, ticks, title, legend, markers and the upright axis. */
#include "chart/chart_parts.h"

#include "core/memory.h"

#include <math.h>

enum { LEGEND_ROW = 20, SAMPLE = 26, GAP = 16, USUAL_TICKS = 6 };

static void widen(double value, double *low, double *high) {
    if (!isfinite(value)) return;
    if (!(value >= *low)) *low = value;
    if (!(value <= *high)) *high = value;
}

static double tick_step(double low, double high, int most, bool whole) {
    static const double steps[] = {1, 2, 5, 10};
    const double wanted = fmax((high - low) / most, 1e-12), power = pow(10, floor(log10(wanted)));
    double step = power;
    for (int i = 0; i < 4; i++) {
        step = steps[i] * power;
        if (step >= wanted * 0.999) break;
    }
    return whole && step < 1 ? 1 : step;
}

void tips__chart_range(const tips_chart *c, double *low, double *high) {
    *low = c->low, *high = c->high;
    if (c->low != c->high) return;
    *low = *high = NAN;
    for (int s = 0; s < c->n_series; s++)
        for (int i = 0; i < c->series[s].count; i++) {
            widen(c->series[s].y[i], low, high);
            if (c->series[s].low) widen(c->series[s].low[i], low, high);
            if (c->series[s].high) widen(c->series[s].high[i], low, high);
        }
    if (isnan(*low)) *low = 0, *high = 1;
    const double least = c->percent ? 2 : fmax(fabs(*high) * 1e-3, 1e-6);
    if (*high - *low < least) *low -= least / 2, *high += least / 2;
    const double margin = 0.05 * (*high - *low);
    const bool touches_zero = *low >= 0 && *low < 0.35 * *high;
    *low = touches_zero ? 0 : *low - margin;
    *high += margin;
    const double step = tick_step(*low, *high, USUAL_TICKS, false);
    *low = floor(*low / step + 1e-9) * step;
    *high = ceil(*high / step - 1e-9) * step;
    if (c->percent) *low = fmax(*low, 0), *high = fmin(*high, 100);
}

chart_ticks tips__chart_ticks(double low, double high, int most, bool whole) {
    chart_ticks t = {0};
    const double step = tick_step(low, high, most, whole);
    t.decimals = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    if (t.decimals > 6) t.decimals = 6;
    for (double at = ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step && t.count < TIPS_TICKS; at += step)
        t.at[t.count++] = fabs(at) < 1e-9 * step ? 0 : at;
    return t;
}

int tips__look_paint(int look) { return TIPS_PAINT_SERIES + look % TIPS_SERIES_PAINTS; }
/* Where colours begin again, markers and dashes go on: 32 series can be told apart. */
static int beside_colour(int look) { return look + look / TIPS_SERIES_PAINTS; }
int tips__look_dash(int look) { return beside_colour(look) % TIPS_DASHES; }

void tips__chart_label(tips_pen *pen, double x, double y, const char *text, tips_anchor anchor, int paint,
                       double size) {
    pen->text(pen, x, y, text, &(tips_style){.fill = paint, .anchor = anchor, .size = size});
}

void tips__chart_number(tips_pen *pen, double x, double y, double value, int decimals, tips_anchor anchor) {
    tips_text text = {0};
    tips__text_fixed(&text, value, decimals);
    if (text.data && !text.failed) tips__chart_label(pen, x, y, text.data, anchor, TIPS_PAINT_MUTED, CHART_LABEL);
    pen->failed |= text.failed;
    tips__text_clear(&text);
}

void tips__chart_line(tips_pen *pen, double x0, double y0, double x1, double y1, int paint, double width) {
    pen->path(pen, (tips_point[]){{x0, y0}, {x1, y1}}, 2, &(tips_style){.stroke = paint, .width = width});
}

static void polygon(tips_pen *pen, double x, double y, const tips_point *shape, int count, int paint, double size) {
    tips_point points[8];
    for (int i = 0; i < count; i++) points[i] = (tips_point){x + size * shape[i].x, y + size * shape[i].y};
    pen->path(pen, points, count,
              &(tips_style){.fill = paint, .stroke = TIPS_PAINT_PAPER, .width = 1.2, .closed = true});
}

void tips__chart_marker(tips_pen *pen, double x, double y, int shape, int paint, double size) {
    static const tips_point square[] = {{-0.88, -0.88}, {0.88, -0.88}, {0.88, 0.88}, {-0.88, 0.88}};
    static const tips_point triangle[] = {{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}};
    static const tips_point diamond[] = {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}};
    switch (beside_colour(shape) % 4) {
    case 1: polygon(pen, x, y, square, 4, paint, size); break;
    case 2: polygon(pen, x, y, triangle, 3, paint, size); break;
    case 3: polygon(pen, x, y, diamond, 4, paint, size); break;
    default: pen->circle(pen, x, y, size, &(tips_style){.fill = paint, .stroke = TIPS_PAINT_PAPER, .width = 1.2});
    }
}

typedef struct legend_place {
    double x, y;
    int row;
} legend_place;

static bool has_legend(const tips_chart *c) {
    int named = 0;
    for (int s = 0; s < c->n_series; s++) named += c->series[s].name != NULL;
    return named > 0;
}

/* Entries go from left to right and on to the next row where they do not fit. */
static void advance(const tips_chart *c, const char *name, legend_place *p) {
    const double width = SAMPLE + 6 + tips__text_width(name, CHART_LABEL, false);
    if (p->x > CHART_EDGE && p->x + width > tips__chart_width(c) - CHART_EDGE) p->x = CHART_EDGE, p->row++;
    p->y = CHART_TITLE + 22 + p->row * LEGEND_ROW;
}

double tips__chart_head(const tips_chart *c) {
    legend_place p = {.x = CHART_EDGE};
    if (!has_legend(c)) return CHART_TITLE + 20;
    for (int s = 0; s < c->n_series; s++) {
        const char *name = c->series[s].name;
        if (!name) continue;
        advance(c, name, &p);
        p.x += SAMPLE + 6 + tips__text_width(name, CHART_LABEL, false) + GAP;
    }
    return CHART_TITLE + 22 + (p.row + 1) * LEGEND_ROW + 4;
}

static void draw_sample(tips_pen *pen, const tips_chart *c, const tips_chart_series *s, double x, double y) {
    const int paint = c->kind == TIPS_CHART_DOTS ? TIPS_PAINT_INK : tips__look_paint(s->look);
    if (c->kind == TIPS_CHART_BARS) {
        pen->rect(pen, x + 6, y - 5, 14, 10, &(tips_style){.fill = paint});
        return;
    }
    if (c->kind == TIPS_CHART_LINES)
        pen->path(pen, (tips_point[]){{x, y}, {x + SAMPLE, y}}, 2,
                  &(tips_style){.stroke = paint, .width = 2.4, .dash = tips__look_dash(s->look)});
    tips__chart_marker(pen, x + SAMPLE / 2.0, y, s->look, paint, 4);
}

void tips__chart_draw_head(tips_pen *pen, const tips_chart *c) {
    legend_place p = {.x = CHART_EDGE};
    pen->text(pen, CHART_EDGE, CHART_TITLE + 4, c->title,
              &(tips_style){.fill = TIPS_PAINT_INK, .size = CHART_TITLE, .bold = true});
    for (int s = 0; s < c->n_series; s++) {
        const char *name = c->series[s].name;
        if (!name) continue;
        advance(c, name, &p);
        draw_sample(pen, c, &c->series[s], p.x, p.y);
        tips__chart_label(pen, p.x + SAMPLE + 6, p.y + 4, name, TIPS_ANCHOR_START, TIPS_PAINT_INK, CHART_LABEL);
        p.x += SAMPLE + 6 + tips__text_width(name, CHART_LABEL, false) + GAP;
    }
}

void tips__chart_y_axis(tips_pen *pen, const tips_chart *c, const chart_frame *f, double low, double high) {
    const chart_ticks t = tips__chart_ticks(low, high, USUAL_TICKS, false);
    for (int i = 0; i < t.count; i++) {
        const double y = f->bottom - (t.at[i] - low) / (high - low) * (f->bottom - f->top);
        tips__chart_line(pen, f->left, y, f->right, y, TIPS_PAINT_GRID, 1);
        tips__chart_number(pen, f->left - 7, y + 4, t.at[i], t.decimals, TIPS_ANCHOR_END);
    }
    tips__chart_line(pen, f->left, f->bottom, f->right, f->bottom, TIPS_PAINT_MUTED, 1);
    pen->text(
        pen, CHART_EDGE + 3, (f->top + f->bottom) / 2, c->y_label,
        &(tips_style){.fill = TIPS_PAINT_MUTED, .size = CHART_LABEL, .anchor = TIPS_ANCHOR_MIDDLE, .upward = true});
}
