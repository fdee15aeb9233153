/* The parts of tips report: reading runs, naming and grouping them, the commands, the examples. */
#ifndef TIPS_REPORT_REPORT_PARTS_H
#define TIPS_REPORT_REPORT_PARTS_H

#include "core/json_tree.h"
#include "core/text.h"
#include "report/report.h"
#include "report/report_gather.h"
#include "train/train.h"

/* A run that is being gathered: what is in the report, and the files it came from. */
typedef struct report_source {
    tips_json_node *config; /* config.json */
    int folder;             /* index of the folder given */
    bool of_compare;        /* below a folder of tips compare */
} report_source;

typedef struct report_job {
    const tips_report_config *config;
    tips_report_data data;
    report_source *sources;   /* (data.n_runs) */
    tips_json_node **compare; /* (n_folders): compare.json, or NULL */
    int capacity;             /* of runs and sources */
} report_job;

/* report_read.c: all runs of all folders. */
tips_status tips__report_read(report_job *job) TIPS_MUST_CHECK;

/* report_values.c: one model of an eval.json, as tips__report_take_result does it. */
tips_status tips__report_take_json(const tips_json_node *node, tips_report_evaluation *out) TIPS_MUST_CHECK;

/* report_levels.c: room for `count` sizes, of which there are none yet; and means over the shifts of each size in the
 * heat map. */
tips_status tips__report_new_levels(tips_report_shift *shift, int count) TIPS_MUST_CHECK;
tips_status tips__report_levels_from_map(tips_report_shift *shift) TIPS_MUST_CHECK;

/* The figure of answers that change, of those that stay. */
tips_figure tips__report_rest(tips_figure stay);

/* report_rows.c: rows, sets, and notes on what they lack. */
tips_status tips__report_group(report_job *job) TIPS_MUST_CHECK;
/* Adds a sentence to the notes. */
tips_status tips__report_note(report_job *job, const char *fmt, ...) TIPS_MUST_CHECK TIPS_PRINTF(2, 3);

/* report_commands.c */
tips_status tips__report_commands(report_job *job) TIPS_MUST_CHECK;
/* "tips eval ..." for a run that has no evaluation. */
void tips__report_eval_command(tips_text *out, const report_job *job, int run);

/* report_examples.c */
tips_status tips__report_examples(report_job *job) TIPS_MUST_CHECK;

/* "folder/name" and whether it is there. */
tips_status tips__report_has(const char *folder, const char *name, bool *out) TIPS_MUST_CHECK;

#endif
