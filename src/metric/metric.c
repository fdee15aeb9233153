/* Values of metrics in words. */
#include "metric/metric.h"

#include <stdio.h>
#include <string.h>

void tips__metric_format(const tips_metric *metric, double value, char *out, size_t size) {
    if (strcmp(metric->unit, "%") == 0) snprintf(out, size, "%.2f%%", value);
    else snprintf(out, size, "%.4f%s%s", value, metric->unit[0] ? " " : "", metric->unit);
}
