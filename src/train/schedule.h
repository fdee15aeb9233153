/* The learning rate of every step. */
#ifndef TIPS_TRAIN_SCHEDULE_H
#define TIPS_TRAIN_SCHEDULE_H

#include <stdint.h>

typedef enum tips_schedule_kind {
    TIPS_SCHEDULE_STEP,
    TIPS_SCHEDULE_COSINE,
    TIPS_SCHEDULE_CONSTANT,
    TIPS_SCHEDULE_POLY
} tips_schedule_kind;
extern const char *const tips__schedule_names[]; /* "step", "cosine", "constant", "poly", NULL */

typedef struct tips_schedule {
    int kind;      /* tips_schedule_kind */
    double lr;     /* at the start */
    int epochs;    /* of the whole run */
    int step_size; /* step: epochs between two drops; a third of the run, rounded up, if 0 */
    double gamma;  /* step: factor of a drop */
    double power;  /* poly: exponent */
    int warmup;    /* epochs in which the rate rises linearly from nearly 0 */
} tips_schedule;

/* The rate of global step `step`, counted from 0, with `batches` steps an epoch:
 *     warm-up:  lr (step + 1) / (warmup batches)
 *     step:     lr gamma^floor(epoch / step_size)
 *     cosine:   lr (1 + cos(pi t)) / 2,  t from 0 to 1 over what is left after the warm-up
 *     poly:     lr (1 - t)^power */
double tips__schedule_lr(const tips_schedule *s, int batches, uint64_t step);

#endif
