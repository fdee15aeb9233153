/* The metrics of telling classes apart. */
#ifndef TIPS_METRIC_CLASSIFICATION_METRICS_H
#define TIPS_METRIC_CLASSIFICATION_METRICS_H

#include "metric/metric.h"

enum { TIPS_CLASSIFICATION_ACCURACY, TIPS_CLASSIFICATION_TOP5, TIPS_CLASSIFICATION_LOSS, TIPS_CLASSIFICATION_METRICS };
extern const tips_metric tips__classification_metrics[TIPS_CLASSIFICATION_METRICS + 1]; /* the last has no name */

#endif
