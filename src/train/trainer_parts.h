/* A run in progress, shared by the files of the trainer. */
#ifndef TIPS_TRAIN_TRAINER_PARTS_H
#define TIPS_TRAIN_TRAINER_PARTS_H

#include "net/net.h"
#include "train/trainer.h"

typedef struct trainer {
    const tips_trainer_config *config;
    tips_train_state *state;
    tips_net *net, *val_net;
    float *logits;   /* (batch, classes) */
    float *images;   /* (batch, c, h, w), for partial batches */
    int32_t *labels; /* (batch) */
    int batches;
    double began, epoch_began, saved; /* clock */
    double epoch_stall;               /* the loader's count when the epoch began */
    int64_t first_step;               /* of this session */
    double validation_seconds;        /* of the last pass */
    double lr;
} trainer;

/* What a pass over the validation data gave. */
typedef struct validation {
    double loss, accuracy;
} validation;

/* Hands a batch to a net; one with n < batch pictures is filled up by repeating them. */
tips_status tips__trainer_put(trainer *t, tips_net *net, int n, const float *images,
                              const int32_t *labels) TIPS_MUST_CHECK;
/* Largest logits that are the label's, among the first n. `logits` (n, classes). */
int tips__trainer_correct(const trainer *t, int n, const int32_t *labels);

tips_status tips__trainer_validate(trainer *t, validation *out) TIPS_MUST_CHECK;
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
