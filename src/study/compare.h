/* Training the same network with several operators and seeds, and what comes of it. */
#ifndef TIPS_STUDY_COMPARE_H
#define TIPS_STUDY_COMPARE_H

#include "core/json.h"
#include "evaluate/evaluate.h"
#include "train/train.h"

typedef struct tips_compare_config {
    tips_train_config train; /* model.pool is a list; `out` gets a folder per operator and seed */
    const tips_train_start *start; /* train.init as it was read already; NULL: every run reads it */
    int seeds;               /* from train.model.seed on */
    int limit;               /* test pictures to evaluate on; 0: all */
    int grid_images;         /* of the heat map */
    int jobs;                /* runs at once, each with its share of the threads; 0 or 1: one after the other */
    /* Before each run and each evaluation; may be NULL. `name` is "aps, seed 2". */
    const tips_train_watch *(*begin)(void *context, const char *name, bool evaluates);
    void *context;
} tips_compare_config;

enum {
    TIPS_COMPARE_TEXT = 160,
    TIPS_COMPARE_VALIDATION = TIPS_MOST_METRICS, /* the task's first metric, on the validation data */
    TIPS_COMPARE_VALUES
};

typedef struct tips_compare_run {
    char pool[TIPS_COMPARE_TEXT];
    int seed;
    char folder[TIPS_PATH_SIZE];
    bool done;               /* trained and evaluated; all runs are, unless the comparison was interrupted */
    int images;              /* evaluated */
    const tips_metric *task; /* its metrics */
    /* By metric of the list of the task's and the common ones, then validation; not a number where there is none. */
    double value[TIPS_COMPARE_VALUES];
    double margin[TIPS_COMPARE_VALUES]; /* half of the 95 % interval over the pictures */
} tips_compare_run;

typedef struct tips_compare_row {
    char pool[TIPS_COMPARE_TEXT];
    int done; /* runs behind the means; they are not numbers without any */
    double mean[TIPS_COMPARE_VALUES];
    double deviation[TIPS_COMPARE_VALUES]; /* of the sample; not a number with one seed */
    double margin[TIPS_COMPARE_VALUES];    /* of the seed, if there is but one; else not a number */
} tips_compare_row;

typedef struct tips_compare_result {
    tips_compare_run *runs; /* (n_rows, seeds) */
    tips_compare_row *rows; /* (n_rows) */
    int n_rows, seeds;
    const tips_metric *task; /* its metrics */
    bool val_is_test;
    bool interrupted; /* before all runs were done; the rest is of those that are */
} tips_compare_result;

/* Runs that have a result.json are not done again, an interrupted one goes on. A comparison that is interrupted, as the
 * watch asks for, gives what there is, or TIPS_INTERRUPTED if that is nothing. */
tips_status tips__compare(const tips_compare_config *config, tips_compare_result *out) TIPS_MUST_CHECK;
/* compare.json in `folder`: apart, so that the result can be shown first. */
tips_status tips__compare_write_all(const char *folder, const tips_compare_result *result) TIPS_MUST_CHECK;
void tips__compare_clear(tips_compare_result *result);
/* The whole result, as it is printed and written. */
void tips__compare_put(tips_json *json, const tips_compare_result *result);

#endif
