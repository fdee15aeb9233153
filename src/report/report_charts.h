/* The charts of a report, in the order of the page. */
#ifndef TIPS_REPORT_REPORT_CHARTS_H
#define TIPS_REPORT_REPORT_CHARTS_H

#include "chart/chart_list.h"
#include "report/report_data.h"

typedef enum tips_chart_group {
    TIPS_GROUP_OVERVIEW,
    TIPS_GROUP_SIZES,
    TIPS_GROUP_MAPS,
    TIPS_GROUP_MSB,
    TIPS_GROUP_TRAINING,
    TIPS_CHART_GROUPS
} tips_chart_group;

/* Borrows names from the report. */
tips_status tips__report_charts(const tips_report_data *report, tips_chart_list *out) TIPS_MUST_CHECK;

/* Their parts, of one set. */
tips_status tips__charts_of_evaluations(const tips_report_data *report, int set, tips_chart_list *out) TIPS_MUST_CHECK;
tips_status tips__charts_of_training(const tips_report_data *report, int set, tips_chart_list *out) TIPS_MUST_CHECK;

#endif
