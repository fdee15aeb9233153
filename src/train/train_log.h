/* The log of a run: what log.jsonl says of its epochs. */
#ifndef TIPS_TRAIN_TRAIN_LOG_H
#define TIPS_TRAIN_TRAIN_LOG_H

#include <stdbool.h>
#include <tips/status.h>

#include "task/task.h"

/* What is not there is not a number. */
typedef struct tips_train_epoch {
    double epoch, lr, loss, task, undo, fm, seconds;
    double train[TIPS_MOST_OWN_METRICS], val[TIPS_MOST_OWN_METRICS]; /* by the task's metrics */
    bool best;
} tips_train_epoch;

typedef struct tips_train_log {
    const tips_task *task;
    tips_train_epoch *epochs; /* (count) */
    int count;
} tips_train_log;

/* Into a log that has its task. */
tips_status tips__train_log_read(const char *folder, tips_train_log *out) TIPS_MUST_CHECK;
void tips__train_log_clear(tips_train_log *log);

#endif
