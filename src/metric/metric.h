/* Metrics: what is measured of a model, what it is called everywhere, and which way is better. Those that every task
 * has are rows of metrics.def; a task adds its own. Whoever writes or shows figures goes over the list of both. */
#ifndef TIPS_METRIC_METRIC_H
#define TIPS_METRIC_METRIC_H

#include <stddef.h>

#include "metric/interval.h"
#include "shift/shift_protocol.h"

typedef enum tips_better { TIPS_NEITHER, TIPS_HIGHER, TIPS_LOWER } tips_better;
extern const char *const tips__better_names[]; /* "neither", "higher", "lower" */

/* What has to be done for a metric, besides answering shifted pictures. */
typedef enum tips_metric_need {
    TIPS_NEEDS_NOTHING,
    TIPS_NEEDS_MSB,
    TIPS_NEEDS_HEATMAP,
    TIPS_NEEDS_SEQUENCE,   /* a protocol of frames */
    TIPS_NEEDS_SET_SHIFTS, /* answers of all pictures under common shifts */
    TIPS_NEEDS_VERIFIER,   /* and not an evaluation; its value is a verdict */
    TIPS_NEEDS_TRAINING    /* and not an evaluation */
} tips_metric_need;
extern const char *const tips__need_names[]; /* "nothing", "MSB", "heat map", ... */

/* Where a task's metric is measured besides evaluation. */
enum { TIPS_IN_TRAINING = 1, TIPS_IN_VALIDATION = 2 };

/* A table leaves out the metrics that have no text for it (NULL). Tables are of percent: the texts name other units. */
typedef struct tips_metric {
    const char *name; /* key in JSON and name in --require: "standard_consistency" */
    int kind;         /* of shift; TIPS_SHIFT_KINDS: of none */
    tips_metric_need need;
    const char *unit; /* "%", "px", "yes/no" of a verdict, "" of a plain number */
    tips_better better;
    const char *heading; /* narrow column, where models are compared: "std cons" */
    const char *column;  /* wider column, where operators are compared: "std. consistency" */
    const char *title;   /* column of a report: "consistency, standard" */
    const char *label;   /* row of a model's table: "standard consistency"; # is the number of shifts in the heat map */
    const char *axis;    /* of a chart; NULL: name and unit */
    const char *help;    /* one sentence */
    unsigned where;      /* TIPS_IN_*, of a task's own */
} tips_metric;

#define TIPS_METRIC(identifier, ...) TIPS_METRIC_##identifier,
typedef enum tips_common_metric {
#include "metric/metrics.def"
    TIPS_COMMON_METRICS
} tips_common_metric;
#undef TIPS_METRIC
extern const tips_metric tips__common_metrics[TIPS_COMMON_METRICS];

enum {
    TIPS_METRICS_PER_KIND = TIPS_METRIC_CIRCULAR_CONSISTENCY - TIPS_METRIC_STANDARD_CONSISTENCY,
    TIPS_MOST_OWN_METRICS = 48, /* of a task */
    TIPS_MOST_METRICS = TIPS_MOST_OWN_METRICS + TIPS_COMMON_METRICS
};

/* Metric i of the list: those of `task`, closed by one without a name, then the common ones. NULL beyond the last. */
const tips_metric *tips__metric_at(const tips_metric *task, int i);
/* The main metric of a task: the first of its own that an evaluation measures. */
int tips__metric_main(const tips_metric *task);
/* Whether one of a task's own needs this. */
bool tips__metrics_need(const tips_metric *task, tips_metric_need need);
/* Where a common metric is in the list. */
int tips__metric_index(const tips_metric *task, tips_common_metric metric);
/* The list with each metric of circular shifts right behind that of standard ones: order (TIPS_MOST_METRICS). Returns
 * how many there are. */
int tips__metric_pairs(const tips_metric *task, int *order);
/* The name without the kind of shift: "worst_consistency". A task may leave "standard" out. */
const char *tips__metric_base(const tips_metric *metric);
/* The label, with the number of shifts put in. */
void tips__metric_label(const tips_metric *metric, int shifts, char *out, size_t size);

/* A value with its unit: "98.76%", "0.1234", "3.2100 px". */
void tips__metric_format(const tips_metric *metric, double value, char *out, size_t size);

/* What was measured of a model. */
typedef struct tips_figures {
    const tips_metric *task;                /* its metrics */
    tips_figure own[TIPS_MOST_OWN_METRICS]; /* in their order */
    tips_figure common[TIPS_COMMON_METRICS];
} tips_figures;

/* Nothing yet. */
tips_figures tips__figures_none(const tips_metric *task);
/* Of metric i of the list. */
tips_figure tips__figure_at(const tips_figures *figures, int i);
/* The place of a metric of shifts, named by that of standard ones. */
tips_figure *tips__figure_of_kind(tips_figures *figures, tips_common_metric standard, int kind);

#endif
