/* A run in progress, shared by the files of the trainer. */
#ifndef TIPS_TRAIN_TRAINER_PARTS_H
#define TIPS_TRAIN_TRAINER_PARTS_H

#include "train/train_undo.h"
#include "train/trainer.h"
#include "view/answerer.h"

typedef struct trainer {
    const tips_trainer_config *config;
    tips_train_state *state;
    tips_net *net;
    tips_output_room outputs; /* of a batch of `net` */
    tips_answerer *validator;
    float *taught;         /* (samples of a batch, output 0): what the teacher said */
    tips_bytes room;       /* for the targets of a batch */
    tips_undo_watch *undo; /* NULL unless L_undo is looked at */
    struct {
        float *images, *shares; /* (samples of a batch, c, h, w) and (samples) */
        int *partners;          /* (samples) */
    } mixed;                    /* NULL unless pictures are mixed */
    int batches;
    double began, epoch_began, saved; /* clock */
    double epoch_stall;               /* the loader's count when the epoch began */
    int64_t first_step;               /* of this session */
    double validation_seconds;        /* of the last pass */
    double lr;
} trainer;

/* The task's metrics after a pass over the validation data. */
typedef struct validation {
    double figures[TIPS_MOST_OWN_METRICS];
} validation;

static inline const tips_task *tips__trainer_task(const trainer *t) { return t->config->model->assignment.spec.task; }

tips_status tips__trainer_validate(trainer *t, validation *out) TIPS_MUST_CHECK;
/* The figures of a tally, without their intervals. */
tips_status tips__trainer_figures(const tips_tally *tally, double figures[TIPS_MOST_OWN_METRICS]) TIPS_MUST_CHECK;
/* Runs the batch that `net` holds again, and fails with the name of the first layer that is not finite. */
tips_status tips__trainer_explain(trainer *t, tips_net *net, const char *what) TIPS_MUST_CHECK;

/* Tells the watcher; `progress` needs only what differs from the state. */
void tips__trainer_tell(const trainer *t, tips_train_progress progress);
bool tips__trainer_is_stopped(const trainer *t);

/* Files. */
tips_status tips__trainer_save_model(const trainer *t, const char *name, const validation *v,
                                     int epoch) TIPS_MUST_CHECK;
tips_status tips__trainer_save_checkpoint(trainer *t) TIPS_MUST_CHECK;
tips_status tips__trainer_open_log(trainer *t) TIPS_MUST_CHECK;
tips_status tips__trainer_log(trainer *t, const validation *v, bool improved) TIPS_MUST_CHECK;

#endif
