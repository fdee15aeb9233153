/* tips study: models of every cell of a grid, and what they say together. */
#ifndef TIPS_STUDY_STUDY_H
#define TIPS_STUDY_STUDY_H

#include "core/json.h"
#include "core/warning.h"
#include "study/grid.h"
#include "study/study_run.h"

struct tips_study;

typedef struct tips_study_config {
    const char *grid;        /* file */
    const char *out;         /* folder: a folder of each cell below `cells`, the tables and figures */
    tips_grid_over over;     /* --set */
    int limit, jobs;         /* over what the file says; -1 and 0: as it says */
    int shard, shards;       /* of this machine: cells shard - 1, shard - 1 + shards, ... */
    bool merge;              /* train nothing: tables and figures of what is there */
    const char *const *also; /* (n_also) other folders of the same study, of which results count too */
    int n_also;
    int threads;
    const tips_train_watch *(*begin)(void *context, const char *name, bool evaluates); /* in the run's process */
    bool (*stop)(void *context);
    /* When a cell has begun or ended: `failure` is NULL or says why it failed. May be NULL. */
    void (*progress)(void *context, const struct tips_study *study, const char *cell, const char *failure, bool again);
    void *context;
} tips_study_config;

enum { TIPS_FAILURE_SIZE = 512 };

typedef struct tips_study {
    const tips_study_config *config;
    tips_grid grid;
    tips_run *runs;                      /* (grid.n_cells) */
    char (*failures)[TIPS_FAILURE_SIZE]; /* (grid.n_cells): why a cell has no result, or "" */
    int mine;                            /* cells of this shard */
    int done, failed;                    /* of these */
    bool interrupted;
} tips_study;

/* Reads the grid and the results that are there. */
tips_status tips__study_open(const tips_study_config *config, tips_study *out) TIPS_MUST_CHECK;
/* Trains and evaluates what is missing. A cell that fails twice is left out and told of; all others go on. */
tips_status tips__study_train(tips_study *study) TIPS_MUST_CHECK;
void tips__study_close(tips_study *study);

bool tips__study_is_mine(const tips_study *study, int cell);
/* A value of a cell that is done: "metric" (the task's main one), a metric by its name, "validation", "seconds",
 * "images", or an option or axis that is a number. Not a number if there is none. */
double tips__study_value(const tips_study *study, int cell, const char *name);

/* Seconds that the cells of this shard which have no result will take, one after the other: as those that are done and
 * are most like them took. Not a number before one is. */
double tips__study_seconds_left(const tips_study *study);
/* The same before anything is done: a few steps of some cells are measured. `measured` says how many. */
tips_status tips__study_measure(tips_study *study, double *seconds, int *measured) TIPS_MUST_CHECK;

/* study.csv, study.json, study.txt, study.html and figures/; of a shard shard-I-of-N.csv alone. What the analyses say
 * goes to `text` too, which may be NULL. */
tips_status tips__study_write(const tips_study *study, FILE *text) TIPS_MUST_CHECK;
/* What to be warned of in a study. */
extern const tips_warning_rule tips__study_rules[];
void tips__study_put(tips_json *json, const tips_study *study);

#endif
