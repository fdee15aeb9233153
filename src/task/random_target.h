/* Targets out of nothing, to run a network's loss without data. */
#ifndef TIPS_TASK_RANDOM_TARGET_H
#define TIPS_TASK_RANDOM_TARGET_H

#include "core/rng.h"
#include "task/task.h"

/* The target of a picture whose class, mask or box is drawn: number `i` of the stream. */
tips_status tips__random_target(const tips_assignment *a, tips_rng rng, int i, tips_bytes *out) TIPS_MUST_CHECK;

#endif
