/* Cells in the colours of viridis, which grow evenly brighter, with numbers where there is room, and a bar of colours.
 */
#include "chart/chart_parts.h"

#include <math.h>

enum { USUAL_WIDTH = 352, SIDE = 230, USUAL_NAME = 33, BAR = 14, MOST_NUMBERED = 9, MOST_PARTED = 20 };

int tips__heat_paint(double share) {
    static const int stops[][3] = {{68, 1, 84},    {71, 44, 122}, {59, 81, 139},  {44, 113, 142}, {33, 144, 141},
                                   {39, 173, 129}, {92, 200, 99}, {170, 220, 50}, {253, 231, 37}};
    enum { LAST = sizeof stops / sizeof stops[0] - 1 };
    const double at = (isnan(share) ? 0 : fmin(fmax(share, 0), 1)) * LAST;
    const int i = at >= LAST ? LAST - 1 : (int)at;
    int rgb = 0;
    for (int k = 0; k < 3; k++) rgb = rgb << 8 | (int)lround(stops[i][k] + (at - i) * (stops[i + 1][k] - stops[i][k]));
    return TIPS_PAINT_RGB + rgb;
}

static double cell_side(const tips_chart *c) {
    const int longer = c->rows > c->columns ? c->rows : c->columns;
    return (double)SIDE / (longer > 0 ? longer : 1);
}

static const double broad = 1.15; /* letters of some fonts, against what is expected of them */

static double widest(const char *const *names, int count) {
    double width = 0;
    for (int i = 0; names && i < count; i++)
        width = fmax(width, broad * tips__text_width(names[i], CHART_LABEL, false));
    return width;
}

/* What names of rows need beyond the usual. */
static double extra_left(const tips_chart *c) {
    const double width = widest(c->row_names, c->rows);
    return fmax(0, width + 10 - USUAL_NAME);
}

static double left_of(const tips_chart *c) { return CHART_EDGE + USUAL_NAME + 7 + extra_left(c); }

/* Names of columns stand upright where they are wider than their cells. */
static bool is_upright(const tips_chart *c) { return widest(c->column_names, c->columns) > cell_side(c) - 4; }

static double names_height(const tips_chart *c) {
    return is_upright(c) ? widest(c->column_names, c->columns) + 12 : 18;
}

double tips__chart_heat_width(const tips_chart *c) { return USUAL_WIDTH + extra_left(c); }

double tips__chart_heat_height(const tips_chart *c) {
    return tips__chart_head(c) + 6 + cell_side(c) * c->rows + names_height(c) + 28;
}

static void draw_cell(tips_pen *pen, const tips_chart *c, int row, int column, double top) {
    const double side = cell_side(c), x = left_of(c) + column * side, y = top + row * side;
    const double value = c->cells[row * c->columns + column], share = (value - c->low) / (c->high - c->low);
    const int longer = c->rows > c->columns ? c->rows : c->columns;
    if (c->row_names && !isfinite(value)) return; /* nothing is there */
    const double drawn = longer <= MOST_PARTED ? side - 1 : side + 0.4;
    pen->rect(pen, x, y, drawn, drawn, &(tips_style){.fill = tips__heat_paint(share)});
    if (longer > MOST_NUMBERED || !isfinite(value)) return;
    tips_text text = {0};
    tips__text_fixed(&text, value, value >= 99.95 ? 0 : 1);
    pen->failed |= text.failed;
    if (!text.failed)
        tips__chart_label(pen, x + side / 2, y + side / 2 + 4, text.data, TIPS_ANCHOR_MIDDLE,
                          TIPS_PAINT_RGB + (share > 0.55 ? 0x101418 : 0xffffff), longer > 6 ? 9.5 : CHART_LABEL);
    tips__text_clear(&text);
}

static int label_step(int count) { return count <= 9 ? 1 : count <= 17 ? 2 : count <= 33 ? 4 : (count + 7) / 8; }

static void draw_column_name(tips_pen *pen, const tips_chart *c, const char *name, double x, double bottom) {
    const bool upright = is_upright(c);
    pen->text(pen, upright ? x + 4 : x, bottom + (upright ? 6 : 16), name,
              &(tips_style){.fill = TIPS_PAINT_MUTED,
                            .size = CHART_LABEL,
                            .anchor = upright ? TIPS_ANCHOR_END : TIPS_ANCHOR_MIDDLE,
                            .upward = upright});
}

static void draw_axes(tips_pen *pen, const tips_chart *c, double top) {
    const double side = cell_side(c), left = left_of(c), bottom = top + side * c->rows;
    for (int row = 0; c->row_names && row < c->rows; row++)
        tips__chart_label(pen, left - 7, top + (row + 0.5) * side + 4, c->row_names[row], TIPS_ANCHOR_END,
                          TIPS_PAINT_MUTED, CHART_LABEL);
    for (int column = 0; c->column_names && column < c->columns; column++)
        draw_column_name(pen, c, c->column_names[column], left + (column + 0.5) * side, bottom);
    for (int row = 0; !c->row_names && row < c->rows; row++)
        if ((row + c->first[0]) % label_step(c->rows) == 0)
            tips__chart_number(pen, left - 7, top + (row + 0.5) * side + 4, row + c->first[0], 0, TIPS_ANCHOR_END);
    for (int column = 0; !c->column_names && column < c->columns; column++)
        if ((column + c->first[1]) % label_step(c->columns) == 0)
            tips__chart_number(pen, left + (column + 0.5) * side, bottom + 16, column + c->first[1], 0,
                               TIPS_ANCHOR_MIDDLE);
    tips__chart_label(pen, left + side * c->columns / 2, bottom + names_height(c) + 16, c->x_label, TIPS_ANCHOR_MIDDLE,
                      TIPS_PAINT_MUTED, CHART_LABEL);
    pen->text(
        pen, CHART_EDGE + 3, (top + bottom) / 2, c->y_label,
        &(tips_style){.fill = TIPS_PAINT_MUTED, .size = CHART_LABEL, .anchor = TIPS_ANCHOR_MIDDLE, .upward = true});
}

static void draw_bar(tips_pen *pen, const tips_chart *c, double top) {
    enum { STEPS = 40 };
    const double height = cell_side(c) * c->rows, x = left_of(c) + cell_side(c) * c->columns + 12;
    for (int i = 0; i < STEPS; i++)
        pen->rect(pen, x, top + height * (STEPS - 1 - i) / STEPS, BAR, height / STEPS + 0.4,
                  &(tips_style){.fill = tips__heat_paint((i + 0.5) / STEPS)});
    const chart_ticks t = tips__chart_ticks(c->low, c->high, 5, false);
    for (int i = 0; i < t.count; i++) {
        const double y = top + height * (1 - (t.at[i] - c->low) / (c->high - c->low));
        tips__chart_number(pen, x + BAR + 5, y + 4, t.at[i], t.decimals, TIPS_ANCHOR_START);
    }
    tips__chart_label(pen, x + BAR / 2.0, top - 8, c->unit ? c->unit : "%", TIPS_ANCHOR_MIDDLE, TIPS_PAINT_MUTED,
                      CHART_LABEL);
}

void tips__chart_draw_heat(tips_pen *pen, const tips_chart *c) {
    const double top = tips__chart_head(c) + 6;
    for (int row = 0; row < c->rows; row++)
        for (int column = 0; column < c->columns; column++) draw_cell(pen, c, row, column, top);
    draw_axes(pen, c, top);
    draw_bar(pen, c, top);
}
