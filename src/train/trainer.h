/* Training: epochs of steps on
 *     (1 - alpha) L_task + [epoch >= eps N] alpha L_undo + L_FM
 * (L_task alone for operators without losses of their own), validation, early stopping, models, log and checkpoints. */
#ifndef TIPS_TRAIN_TRAINER_H
#define TIPS_TRAIN_TRAINER_H

#include "core/path.h"
#include "data/loader.h"
#include "data/mixing.h"
#include "model/model_file.h"
#include "optimizer/optimizer.h"
#include "train/schedule.h"
#include "train/train_state.h"

typedef struct tips_train_plan {
    tips_schedule schedule;
    int batch;
    tips_optimizer_spec optimizer;
    double momentum, weight_decay;
    bool spare_vectors; /* norms and biases do not decay */
    double alpha, eps;
    bool relative_undo; /* L_undo of each layer is divided by the mean square of what it compares */
    double clip;        /* largest norm of all gradients together; 0: any */
    double ema;         /* decay of the average of the weights, which is what is validated and saved; 0: no average */
    int patience;       /* epochs without a better validation loss before it stops, counted from eps N on; 0: never */
    tips_mixing mixing; /* of the pictures of a batch; the task is one that can */
    uint64_t seed;
    double save_seconds; /* between checkpoints within an epoch; 0: none */
    int undo_pictures;   /* that L_undo is looked at with after each epoch; 0: it is not */
} tips_train_plan;

/* Where a run is. Epochs and batches count from 1 here. */
typedef struct tips_train_progress {
    int epoch, epochs, batch, batches;
    bool validating;    /* batch and batches are those of the validation data */
    bool epoch_done;    /* train, val and improved hold */
    bool has_aux;       /* the operators have losses of their own */
    tips_losses losses; /* means over the epoch so far */
    double lr, images_per_second, seconds_left;
    const tips_task
        *task; /* whose metrics these are: on training pictures as they were learned from, and on validation */
    double train[TIPS_MOST_OWN_METRICS], val[TIPS_MOST_OWN_METRICS];
    bool improved;
} tips_train_progress;

/* What the caller wants to know and to say; each may be NULL. */
typedef struct tips_train_watch {
    void (*progress)(void *context, const tips_train_progress *progress);
    bool (*stop)(void *context);                   /* asked after every step */
    void (*note)(void *context, const char *text); /* what the caller should know before it begins */
    void *context;
} tips_train_watch;

typedef struct tips_trainer_config {
    tips_train_plan plan;
    const tips_model *model;       /* with loss */
    tips_params *params;           /* prepared for the optimiser */
    const tips_model_info *info;   /* of the model files; `training` is filled in here */
    tips_loader *train, *val;      /* train drops the last partial batch */
    const char *val_set;           /* "val" or "test": said in every result */
    const char *folder;            /* gets best.safetensors, last.safetensors, log.jsonl, checkpoint.safetensors */
    const tips_settings *settings; /* kept in the checkpoint */
    tips_train_watch watch;
    /* With a teacher: its output 0 for a batch of pictures as the network gets them. */
    tips_status (*teach)(void *teacher, const float *images, float *output);
    void *teacher;
} tips_trainer_config;

extern const char tips__checkpoint_name[], tips__log_name[], tips__best_name[], tips__last_name[];

/* Goes on from `state` (new, or a checkpoint's) to the end. TIPS_INTERRUPTED: asked to stop, all is saved.
 * TIPS_NUMERIC: a loss or gradient is not finite, the text names the layer, the last checkpoint is as it was. */
tips_status tips__train(const tips_trainer_config *config, tips_train_state *state) TIPS_MUST_CHECK;

#endif
