/* Charts: what is to be seen, apart from how it is drawn. */
#ifndef TIPS_CHART_CHART_H
#define TIPS_CHART_CHART_H

#include "chart/pen.h"

typedef enum tips_chart_kind {
    TIPS_CHART_LINES, /* y over x */
    TIPS_CHART_BARS,  /* upright, in groups: one group a category, one bar a series */
    TIPS_CHART_DOTS,  /* one row a category, one dot a series, along x */
    TIPS_CHART_HEAT,  /* cells */
    TIPS_CHART_POINTS /* y over x, one mark a value; with sizes bubbles */
} tips_chart_kind;

/* Values in the order of the categories, or over x. What is not a number is left out. Everything is borrowed. */
typedef struct tips_chart_series {
    const char *name; /* in the legend; NULL: not there */
    int look;         /* colour, marker and dashes; of DOTS the marker alone */
    int count;
    double *x;          /* (count), LINES and POINTS */
    double *y;          /* (count) */
    double *low, *high; /* (count), or NULL: a band or whiskers */
    double *size;       /* (count), POINTS: areas from 0 to 1; NULL: all alike */
} tips_chart_series;

typedef struct tips_chart {
    tips_chart_kind kind;
    const char *name; /* of its files and in the page: letters, digits, dashes */
    const char *title;
    const char *description; /* a sentence for those who do not see it */
    const char *x_label, *y_label;
    double low, high; /* of the values' axis or of the colours; equal: as the values are */
    bool percent;     /* the values are */
    bool x_parts;     /* LINES and POINTS: x is no whole number */
    const tips_chart_series *series;
    int n_series;
    const char *const
        *categories;  /* (n_categories) of BARS and DOTS; of LINES what x = 0, 1, ... are called, or NULL */
    const int *looks; /* (n_categories) of DOTS: their colours */
    int n_categories;
    int rows, columns, first[2];                        /* HEAT: of the cells, and what the first is called */
    const double *cells;                                /* (rows, columns) */
    const char *const *row_names, *const *column_names; /* of the cells, or NULL: numbers from the first on */
    const char *unit;                                   /* above the colours; NULL: "%" */
} tips_chart;

double tips__chart_width(const tips_chart *chart);
double tips__chart_height(const tips_chart *chart);

void tips__chart_draw(tips_pen *pen, const tips_chart *chart);
/* An <svg> element for a page that has the style sheet. */
void tips__chart_inline(tips_text *out, const tips_chart *chart);
/* Charts side by side as files folder/name.svg and, with cairo, folder/name.png. */
tips_status tips__charts_save(const tips_chart *const *charts, int count, const char *folder,
                              const char *name) TIPS_MUST_CHECK;

/* Viridis: 0 dark blue, 1 yellow; as a paint. */
int tips__heat_paint(double share);

#endif
