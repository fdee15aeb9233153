/* Charts of a run over its epochs. */
#ifndef TIPS_TRAIN_TRAIN_CHARTS_H
#define TIPS_TRAIN_TRAIN_CHARTS_H

#include <stdbool.h>

#include "chart/chart_list.h"
#include "train/train_log.h"

typedef enum tips_curve {
    TIPS_CURVE_TASK_LOSS,
    TIPS_CURVE_VAL_LOSS,
    TIPS_CURVE_TRAIN_ACCURACY,
    TIPS_CURVE_VAL_ACCURACY
} tips_curve;

/* One line a run. */
void tips__put_curve(tips_chart_series *series, const tips_train_log *log, tips_curve which, const char *name,
                     int look);
void tips__describe_curves(tips_made_chart *chart, int set, const char *name, const char *title, const char *unit,
                           bool percent);

/* Loss and accuracy of one run, for its folder: one chart of both losses, one of both accuracies. */
tips_status tips__training_charts(const tips_train_log *log, tips_chart_list *out) TIPS_MUST_CHECK;

#endif
