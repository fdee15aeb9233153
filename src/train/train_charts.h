/* Charts of a run over its epochs. */
#ifndef TIPS_TRAIN_TRAIN_CHARTS_H
#define TIPS_TRAIN_TRAIN_CHARTS_H

#include <stdbool.h>

#include "chart/chart_list.h"
#include "train/train_log.h"

/* What is drawn over the epochs: the task's loss on training pictures, or one of its metrics. */
typedef struct tips_curve {
    int metric; /* TIPS_CURVE_LOSS, or a row of the task's table */
    bool val;   /* on the validation data */
} tips_curve;
enum { TIPS_CURVE_LOSS = -1 };

/* One line a run. */
void tips__put_curve(tips_chart_series *series, const tips_train_log *log, tips_curve curve, const char *name,
                     int look);
/* Name, title and axes: "val-accuracy", "Accuracy on the validation data". */
void tips__describe_curves(tips_made_chart *chart, int set, const tips_task *task, tips_curve curve);

/* The metric that goes with the loss of the graph, "loss"; -1 if the task has none. */
int tips__loss_metric(const tips_task *task);

/* One run, for its folder: a chart of its losses, and one of every other metric, on training and validation data. */
tips_status tips__training_charts(const tips_train_log *log, tips_chart_list *out) TIPS_MUST_CHECK;

#endif
