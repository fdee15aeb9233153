/* Small training runs in a folder of their own, and comparing what they leave. */
#ifndef TIPS_TESTS_TRAIN_RUNS_H
#define TIPS_TESTS_TRAIN_RUNS_H

#include "train/train.h"

/* Setup and teardown of a group: the folder of all runs. */
int make_run_folder(void **state);
int remove_run_folder(void **state);
/* A path in it, in one of a few buffers that are used in turn. */
const char *inside(const char *name);

/* A run of a second or so: 12 batches an epoch. */
tips_train_config small_run(const char *name);
tips_train_result run_to_end(const tips_train_config *config);

/* A question whether to stop that says yes when the number behind `context` has been counted down: asked once a step
 * and once a batch of validation. */
bool count_down(void *context);

/* The log without what may differ; freed with free. */
char *log_without_time(const char *run);
void assert_same_run(const char *run, const char *other);

#endif
