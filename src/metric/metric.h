/* What a metric is: a row of metrics.def, or of the table of a task. */
#ifndef TIPS_METRIC_METRIC_H
#define TIPS_METRIC_METRIC_H

#include <stdbool.h>
#include <stddef.h>

/* Where a metric is measured. */
enum { TIPS_IN_TRAINING = 1, TIPS_IN_VALIDATION = 2, TIPS_IN_EVALUATION = 4 };

typedef struct tips_metric {
    const char *name;    /* its key in JSON and its name in --require: "standard_consistency" */
    const char *unit;    /* "%", "px" or "" */
    bool lower_is_better;
    unsigned where;
    const char *heading; /* of a column: short */
    const char *label;   /* of a row */
    const char *help;    /* a sentence */
} tips_metric;

/* A value with its unit: "98.76%", "0.1234", "3.2100 px". */
void tips__metric_format(const tips_metric *metric, double value, char *out, size_t size);

#endif
