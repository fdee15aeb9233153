/* Everything besides weights and what the optimiser keeps that a run needs to go on as if it had never stopped, and the
 * checkpoint file that holds it all. Random numbers are no part of it: they are functions of seed, epoch and step. */
#ifndef TIPS_TRAIN_TRAIN_STATE_H
#define TIPS_TRAIN_TRAIN_STATE_H

#include <tips/losses.h>

#include "graph/params.h"
#include "task/tally.h"
#include "train/settings.h"

typedef struct tips_train_state {
    int epoch;                       /* in progress, from 0 */
    int batch;                       /* the next one of it; all of them: validation comes next */
    int batches;                     /* of an epoch, to notice other data */
    int64_t step;                    /* taken so far */
    tips_losses sums;                /* over the batches of this epoch */
    int best_epoch;                  /* from 1; 0: none yet */
    int waited;        /* epochs without a better one, since patience counts */
    int finished;      /* 1: all epochs done, 2: stopped early */
    int64_t log_bytes; /* of log.jsonl */
    tips_tally tally;  /* training pictures of this epoch */
    double best[TIPS_MOST_OWN_METRICS], last[TIPS_MOST_OWN_METRICS]; /* the task's metrics on the validation data */
} tips_train_state;

/* Before the first epoch's end the best is worse than any. `assignment` must outlive the state. */
tips_train_state tips__train_state_new(const tips_assignment *assignment);
void tips__train_state_clear(tips_train_state *state);

/* Parameters, what the optimiser keeps ("momentum/<name>"), the state and the settings, in one file that is replaced in
 * one go. */
tips_status tips__checkpoint_save(const char *path, const tips_params *params, const tips_train_state *state,
                                  const tips_settings *settings) TIPS_MUST_CHECK;
/* Into a new state. */
tips_status tips__checkpoint_load(const char *path, tips_params *params, tips_train_state *state) TIPS_MUST_CHECK;
/* The settings alone, added to `settings`. */
tips_status tips__checkpoint_settings(const char *path, tips_settings *settings) TIPS_MUST_CHECK;
/* What it was computed with, as a checkpoint keeps it: threads, build, processor. Older ones have nothing of it. */
tips_status tips__train_machine(tips_settings *machine) TIPS_MUST_CHECK;
tips_status tips__checkpoint_machine(const char *path, tips_settings *machine) TIPS_MUST_CHECK;

#endif
