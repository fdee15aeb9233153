/* What a study's file asks of its models: one analysis a file, one line in analyses.def. */
#ifndef TIPS_STUDY_ANALYSIS_H
#define TIPS_STUDY_ANALYSIS_H

#include "chart/chart_list.h"
#include "core/json_tree.h"
#include "study/study.h"

/* One entry of `analysis:` under way. */
typedef struct tips_analysis_job {
    const tips_study *study;
    const tips_yaml_node *options;
    int number; /* from 1, in the names of charts */
    FILE *text;
    tips_json *json; /* an object is open */
    tips_chart_list *charts;
} tips_analysis_job;

/* What a file with an analysis must say of its models besides. */
typedef enum tips_analysis_need {
    TIPS_ANALYSIS_NOTHING,
    TIPS_ANALYSIS_LEVELS,
    TIPS_ANALYSIS_ATTACKS
} tips_analysis_need;

typedef struct tips_analysis {
    const char *name, *help;
    const char *keys; /* "x:axis! y:figures": what each names; ! if it has to be there */
    tips_analysis_need need;
    tips_status (*run)(tips_analysis_job *job);
} tips_analysis;

extern const tips_analysis tips__analyses[]; /* closed by one without a name */

/* What an entry's `kind` names; NULL if it is none. */
const tips_analysis *tips__analysis_find(const tips_yaml_node *entry);
/* Whether every entry names an analysis, has what it needs, and names axes and figures that there are; before anything
 * is trained. */
tips_status tips__analyses_check(const tips_grid *grid) TIPS_MUST_CHECK;
/* All of them. Charts have the number of their entry as group. */
tips_status tips__analyses_run(const tips_study *study, FILE *text, tips_json *json,
                               tips_chart_list *charts) TIPS_MUST_CHECK;

/* The names under a key: one or a list; `usual` if it is absent. */
enum { TIPS_MOST_NAMES = 12 };
typedef struct tips_names {
    const char *name[TIPS_MOST_NAMES];
    int count;
} tips_names;
tips_names tips__analysis_names(const tips_analysis_job *job, const char *key, const char *usual);
const char *tips__analysis_name(const tips_analysis_job *job, const char *key, const char *usual);

/* Cells that are done, by their labels on some axes, in the order of the grid. Names that are "" make one group. */
typedef struct tips_groups {
    char (*labels)[2 * TIPS_LABEL_SIZE]; /* (count) */
    int count;
    int *of; /* (cells); -1: not done */
} tips_groups;
tips_status tips__study_group(const tips_study *study, const tips_names *names, tips_groups *out) TIPS_MUST_CHECK;
void tips__groups_free(tips_groups *groups);

/* Of the cells that are in group `a` of `by` and `b` of `and`, which may be NULL. */
typedef struct tips_spread {
    double mean, deviation, low, high; /* not a number without any; the deviation with one */
    int count;
} tips_spread;
tips_spread tips__study_spread(const tips_study *study, const char *value, const tips_groups *by, int a,
                               const tips_groups *and, int b);

/* What the evaluation of a cell left; to be freed. */
tips_status tips__study_evaluation(const tips_study *study, int cell, tips_json_node **out) TIPS_MUST_CHECK;

/* A point of a curve in the open array. */
void tips__analysis_point(tips_json *json, const char *series, const char *x, tips_spread spread);
/* "accuracy (%)" of "metric", for axes and columns. */
void tips__value_title(const tips_study *study, const char *value, char *out, size_t size);
/* Whether it is a share in percent. */
bool tips__value_is_percent(const tips_study *study, const char *value);
/* A new chart with its name, "2-msb-3", title and axes; labels are copied. */
tips_status tips__analysis_chart(tips_analysis_job *job, tips_chart_kind kind, const char *title, const char *x,
                                 const char *y, int series, int points, tips_made_chart **out) TIPS_MUST_CHECK;

#endif
