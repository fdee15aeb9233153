/* Charts that own what they are made of, in a list. */
#ifndef TIPS_CHART_CHART_LIST_H
#define TIPS_CHART_CHART_LIST_H

#include <tips/status.h>

#include "chart/chart.h"

typedef struct tips_made_chart {
    tips_chart chart;
    int group, set; /* the maker's own */
    char name[48], title[128], description[512], unit[64];
    tips_chart_series *series;
    double *numbers; /* of all series or cells */
    const char **categories;
    int *looks;
    char **texts; /* (n_texts): names that nobody else keeps */
    int n_texts;
} tips_made_chart;

typedef struct tips_chart_list {
    tips_made_chart **charts; /* (count) */
    int count, capacity;
} tips_chart_list;

/* A new chart at the end, with room for series of `points` values each. */
tips_status tips__chart_list_add(tips_chart_list *list, int group, int set, int series, int points,
                                 tips_made_chart **out) TIPS_MUST_CHECK;
/* A copy of a text that lives as long as the chart. */
tips_status tips__chart_keep(tips_made_chart *chart, const char *text, const char **out) TIPS_MUST_CHECK;
void tips__chart_list_free(tips_chart_list *list);

#endif
