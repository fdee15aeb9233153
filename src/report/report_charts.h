/* The charts of a report, in the order of the page. */
#ifndef TIPS_REPORT_REPORT_CHARTS_H
#define TIPS_REPORT_REPORT_CHARTS_H

#include "report/chart.h"
#include "report/report_data.h"

typedef enum tips_chart_group {
    TIPS_GROUP_OVERVIEW,
    TIPS_GROUP_SIZES,
    TIPS_GROUP_MAPS, /* of standard shifts */
    TIPS_GROUP_CIRCULAR_MAPS,
    TIPS_GROUP_MSB,
    TIPS_GROUP_TRAINING,
    TIPS_CHART_GROUPS
} tips_chart_group;

/* A chart and what it is made of. */
typedef struct tips_report_chart {
    tips_chart chart;
    tips_chart_group group;
    int set;
    char name[48], title[128], description[512];
    tips_chart_series *series;
    double *numbers; /* of all series or cells */
    const char **categories;
    int *looks;
} tips_report_chart;

typedef struct tips_report_charts {
    tips_report_chart **charts; /* (count) */
    int count, capacity;
} tips_report_charts;

/* Borrows names from the report. */
tips_status tips__report_charts(const tips_report_data *report, tips_report_charts *out) TIPS_MUST_CHECK;
void tips__report_charts_free(tips_report_charts *charts);

/* Loss and accuracy of one run over its epochs, for the folder of the run: one chart of both losses, one of both
 * accuracies. */
tips_status tips__training_charts(const tips_report_run *run, tips_report_charts *out) TIPS_MUST_CHECK;

/* For the files that make charts: a new chart at the end, with room for series of `points` values each. */
tips_status tips__charts_add(tips_report_charts *charts, tips_chart_group group, int set, int series, int points,
                             tips_report_chart **out) TIPS_MUST_CHECK;
tips_status tips__charts_of_evaluations(const tips_report_data *report, int set,
                                        tips_report_charts *out) TIPS_MUST_CHECK;
tips_status tips__charts_of_training(const tips_report_data *report, int set, tips_report_charts *out) TIPS_MUST_CHECK;

#endif
