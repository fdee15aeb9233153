/* The metrics of classification, in the order of its table. */
#ifndef TIPS_TASK_CLASSIFY_H
#define TIPS_TASK_CLASSIFY_H

#include "task/task.h"

enum { TIPS_CLASSIFY_LOSS, TIPS_CLASSIFY_ACCURACY, TIPS_CLASSIFY_TOP5, TIPS_CLASSIFY_METRICS };

#endif
