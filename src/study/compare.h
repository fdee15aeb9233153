/* Training the same network with several operators and seeds, and what comes of it. */
#ifndef TIPS_STUDY_COMPARE_H
#define TIPS_STUDY_COMPARE_H

#include "core/warning.h"
#include "study/study_run.h"

typedef struct tips_compare_config {
    tips_train_config train; /* model.pool is a list; `out` gets a folder per operator and seed */
    tips_runs_config runs;
    int seeds; /* from train.model.seed on */
    int jobs;  /* runs at once, each with its share of the threads; 0 or 1: one after the other */
} tips_compare_config;

enum { TIPS_COMPARE_TEXT = 160 };

typedef struct tips_compare_row {
    char pool[TIPS_COMPARE_TEXT];
    int done; /* runs behind the means; they are not numbers without any */
    double mean[TIPS_RUN_VALUES];
    double deviation[TIPS_RUN_VALUES]; /* of the sample; not a number with one seed */
    double margin[TIPS_RUN_VALUES];    /* of the seed, if there is but one; else not a number */
    /* From the first row: Student's interval over seeds that both have, or of one seed over its pictures. */
    tips_figure difference[TIPS_RUN_VALUES];
    int pairs; /* seeds, or pictures; 0: there is no difference */
} tips_compare_row;

typedef struct tips_compare_result {
    tips_run *runs;         /* (n_rows, seeds) */
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
/* What to be warned of in a comparison. */
extern const tips_warning_rule tips__compare_rules[];
/* The whole result, as it is printed and written. */
void tips__compare_put(tips_json *json, const tips_compare_result *result);

#endif
