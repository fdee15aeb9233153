/* The options of a training run: rows for commands and recipes, and where their values come from. */
#ifndef TIPS_TRAIN_TRAIN_OPTIONS_H
#define TIPS_TRAIN_TRAIN_OPTIONS_H

#include "core/yaml.h"
#include "data/loader.h"
#include "data/mixing.h"
#include "model/input_options.h"
#include "model/model_options.h"
#include "train/schedule.h"
#include "train/settings.h"
#include "train/train_start.h"

/* What L_undo of a layer is divided by: nothing, as in the paper, or the variance about 0 of the map it compares with.
 */
typedef enum tips_undo_scale { TIPS_UNDO_PLAIN, TIPS_UNDO_VARIANCE } tips_undo_scale;

typedef struct tips_train_config {
    tips_model_options model; /* size 0: from the data; classes and channels are the data's */
    const char *data;         /* NULL: the default data */
    const char *out;          /* folder */
    const char *init, *weights, *teacher;
    tips_input_options input;     /* of the network: mean, deviation, range and order of channels alone */
    tips_input_options its_input; /* the same of the teacher */
    double teaching, temperature; /* the teacher's part of the task, and how much answers are softened */
    bool freeze;                  /* train the operators alone */
    bool head_only;               /* train what follows the backbone alone */
    bool resume;
    int epochs, batch;
    tips_schedule schedule; /* its epochs are those above */
    const char *optimizer;  /* "adamw:beta2=0.99" */
    double momentum, weight_decay;
    bool exempt_norms;
    double alpha, eps, clip, ema, smoothing;
    int undo_scale; /* tips_undo_scale */
    int patience;
    tips_augment augment;
    tips_mixing mixing;
    int resize;
    tips_placement placement;
    int train_limit, classes_limit;
    double val_split;
    int val_set, on_bad_image; /* tips_val_set, tips_on_bad_image */
    double save_every;         /* minutes */
    int watch_undo;            /* pictures */
    int workers;
    tips_given given; /* what was said: by flags, a recipe, a study's cell, or when the run began */
} tips_train_config;

/* The rows of a tips_train_config, those of its network among them. */
extern const tips_option tips__train_rows[];

/* Every option as it is if nothing else is said, where the task and the optimiser that `said` has over the table's
 * own defaults begin with theirs. NULL: the table's own. */
tips_status tips__train_defaults(const tips_train_config *said, tips_train_config *config) TIPS_MUST_CHECK;

/* Values from elsewhere than the command line, in rising order: the checkpoint of a run that goes on, the model to
 * start from, a recipe. Texts in a config borrow from here. */
typedef struct tips_train_sources {
    tips_settings checkpoint, model;
    tips_train_start start; /* what `model` describes; its path is NULL without one */
    tips_yaml *recipe;
} tips_train_sources;

/* `said` is the command line alone: defaults and the flags over them. `recipe` may be NULL. Fills `sources` and sets
 * the rows of `table` in `config`: given are those that the recipe names, or that were given when the run began. */
tips_status tips__train_preset(const tips_train_config *said, const char *recipe, const tips_option *table,
                               void *config, tips_train_sources *sources) TIPS_MUST_CHECK;
/* The model to start from, for tips__train_run_from; NULL without one. */
const tips_train_start *tips__train_sources_start(const tips_train_sources *sources);
void tips__train_sources_clear(tips_train_sources *sources);

/* The options that make a run what it is: all but where it is kept and how it is watched. */
tips_status tips__train_settings(const tips_train_config *config, tips_settings *settings) TIPS_MUST_CHECK;
/* The operator in `settings` with all its options, which it may be without; `stored`: as an older file means it. */
tips_status tips__train_spell_out(bool stored, tips_settings *settings) TIPS_MUST_CHECK;

#endif
