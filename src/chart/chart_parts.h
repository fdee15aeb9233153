/* What the kinds of charts share: the frame, axes, legend and markers. */
#ifndef TIPS_CHART_CHART_PARTS_H
#define TIPS_CHART_CHART_PARTS_H

#include "chart/chart.h"

enum { TIPS_TICKS = 12 };

typedef struct chart_ticks {
    double at[TIPS_TICKS];
    int count, decimals;
} chart_ticks;

/* The range of all values with their bands, or what the chart says. */
void tips__chart_range(const tips_chart *chart, double *low, double *high);
/* At most `most` round values within low..high. */
chart_ticks tips__chart_ticks(double low, double high, int most, bool whole);

/* The plot's place within the drawing. */
typedef struct chart_frame {
    double left, top, right, bottom;
} chart_frame;

enum { CHART_WIDTH = 420, CHART_TITLE = 15, CHART_LABEL = 12, CHART_EDGE = 12 };

/* How tall title and legend are. */
double tips__chart_head(const tips_chart *chart);
void tips__chart_draw_head(tips_pen *pen, const tips_chart *chart);
int tips__look_paint(int look);
int tips__look_dash(int look);
void tips__chart_marker(tips_pen *pen, double x, double y, int shape, int paint, double size);
/* Grid lines and numbers of the upright axis; returns nothing drawn beyond the frame but the labels. */
void tips__chart_y_axis(tips_pen *pen, const tips_chart *chart, const chart_frame *f, double low, double high);
void tips__chart_label(tips_pen *pen, double x, double y, const char *text, tips_anchor anchor, int paint, double size);
void tips__chart_number(tips_pen *pen, double x, double y, double value, int decimals, tips_anchor anchor);
void tips__chart_line(tips_pen *pen, double x0, double y0, double x1, double y1, int paint, double width);

void tips__chart_draw_lines(tips_pen *pen, const tips_chart *chart);
void tips__chart_draw_bars(tips_pen *pen, const tips_chart *chart);
void tips__chart_draw_dots(tips_pen *pen, const tips_chart *chart);
void tips__chart_draw_heat(tips_pen *pen, const tips_chart *chart);
double tips__chart_dots_width(const tips_chart *chart);
double tips__chart_heat_width(const tips_chart *chart);
double tips__chart_lines_extra(const tips_chart *chart); /* what names below the axis need */
double tips__chart_bars_height(const tips_chart *chart);
double tips__chart_dots_height(const tips_chart *chart);
double tips__chart_heat_height(const tips_chart *chart);

#endif
