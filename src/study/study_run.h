/* One run of a study: trained and evaluated in a folder of its own, whose result.json says so. */
#ifndef TIPS_STUDY_STUDY_RUN_H
#define TIPS_STUDY_STUDY_RUN_H

#include "attack/attack.h"
#include "core/json.h"
#include "evaluate/evaluate.h"
#include "train/train.h"

enum {
    TIPS_RUN_VALIDATION = TIPS_MOST_METRICS, /* the task's first metric, on the validation data */
    TIPS_RUN_VALUES
};

typedef struct tips_run {
    tips_train_config train; /* all but where it is kept; its texts are the caller's */
    char name[192];          /* "aps, seed 2", for those who watch */
    char folder[TIPS_PATH_SIZE];
    const tips_train_config *pretrain; /* of a run that comes first, whose last weights it begins with; NULL: none */
    char encoder[TIPS_PATH_SIZE];      /* the folder of that */
    char weights[TIPS_PATH_SIZE];      /* train.weights then */
    bool done;                         /* trained and evaluated */
    char changed[512];       /* attacks and corruptions that belong to its result, as flags; "": any or none */
    int images;              /* evaluated */
    char pictures[256];      /* which, in words; "" if unknown, as are those of older results */
    bool chosen_on;          /* the best epoch was chosen by them */
    double seconds;          /* of training; not a number if unknown */
    double evaluation;       /* seconds that took; 0 if unknown */
    const tips_metric *task; /* its metrics */
    /* By metric of the list of the task's and the common ones, then validation; not a number where there is none. */
    double value[TIPS_RUN_VALUES];
    double margin[TIPS_RUN_VALUES]; /* half of the 95 % interval over the pictures */
} tips_run;

/* What all runs of a study share. */
typedef struct tips_runs_config {
    const tips_train_start *start;     /* train.init as it was read already; NULL: every run reads it */
    int limit;                         /* test pictures to evaluate on; 0: all */
    int grid_images;                   /* of the heat map */
    bool levels;                       /* consistency by the size of the shift */
    const tips_attack_options *attack; /* changed pictures, evaluated too; NULL: none */
    /* Before each run and each evaluation; may be NULL. */
    const tips_train_watch *(*begin)(void *context, const char *name, bool evaluates);
    bool (*stop)(void *context); /* asked while runs go on in other processes; may be NULL */
    void *context;
} tips_runs_config;

/* A run that nothing was done for: its folder, its task, and no figures. */
tips_status tips__run_prepare(const tips_train_config *train, const char *folder, const char *name,
                              tips_run *out) TIPS_MUST_CHECK;
/* Lets it begin with the weights of another run, whose folder may be that of other runs too. The run stays where it is
 * in memory from now on. */
tips_status tips__run_pretrain(const tips_train_config *pretrain, const char *folder, tips_run *run) TIPS_MUST_CHECK;
/* Trains and evaluates, or reads the result that is there. Waits for another process that is at the same run. */
tips_status tips__run_do(const tips_runs_config *config, tips_run *run) TIPS_MUST_CHECK;
/* The same with `threads` threads, or as many as the run began with. */
tips_status tips__run_do_apart(const tips_runs_config *config, tips_run *run, int threads) TIPS_MUST_CHECK;

/* result.json in run->folder: written when a run is trained and evaluated. `*found` is false if there is none, or one
 * without the attacks that belong to it. */
tips_status tips__run_read(tips_run *run, int limit, bool *found) TIPS_MUST_CHECK;

/* The figures of a run, or means over several, by name. */
void tips__run_put_values(tips_json *json, const tips_metric *task, const double *values);
/* Operator, seed, pictures, figures and their margins. */
void tips__run_put(tips_json *json, const tips_run *run);
/* A document as the file folder/name. */
tips_status tips__study_save(tips_json *json, const char *folder, const char *name) TIPS_MUST_CHECK;

#endif
