/* Training a network from options: data in, a folder with models, log and checkpoint out. */
#ifndef TIPS_TRAIN_TRAIN_H
#define TIPS_TRAIN_TRAIN_H

#include "train/train_options.h"
#include "train/trainer.h"

typedef struct tips_train_result {
    char arch[32], pool[160], val_set[8];
    int epochs; /* done */
    bool stopped_early, resumed;
    int best_epoch;                                            /* from 1 */
    const tips_task *task;
    double best[TIPS_MOST_OWN_METRICS], last[TIPS_MOST_OWN_METRICS]; /* the task's metrics on the validation data */
    int train_pictures, val_pictures, skipped;
    size_t parameters;
    double seconds; /* of this session */
    char best_path[TIPS_PATH_SIZE];
    char curves_note[512]; /* why curves are missing, or "" */
} tips_train_result;

extern const char tips__config_name[]; /* "config.json" */

/* Trains to the end, or goes on with the run in config->out. TIPS_INTERRUPTED: watch->stop said so, and all is saved.
 */
tips_status tips__train_run(const tips_train_config *config, const tips_train_watch *watch,
                            tips_train_result *out) TIPS_MUST_CHECK;

/* The same with config->init read already. */
tips_status tips__train_run_from(const tips_train_config *config, const tips_train_start *start,
                                 const tips_train_watch *watch, tips_train_result *out) TIPS_MUST_CHECK;
/* The same where the caller holds the lock of the folder (core/folder_lock.h); the two above take it. */
tips_status tips__train_run_held(const tips_train_config *config, const tips_train_start *start,
                                 const tips_train_watch *watch, tips_train_result *out) TIPS_MUST_CHECK;

/* Whether the run in config->out began with these options; TIPS_INVALID names the first that differs. */
tips_status tips__train_check_settings(const tips_train_config *config) TIPS_MUST_CHECK;

/* The threads that the run in `folder` began with; 0 if there is none, or it does not say. */
int tips__train_threads_of(const char *folder);

#endif
