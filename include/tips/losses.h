/* The losses of one training step. */
#ifndef TIPS_LOSSES_H
#define TIPS_LOSSES_H

/* total is the weighted sum that is minimised; the others are as they are, before weighing. */
typedef struct tips_losses {
    double total, task, undo, fm;
} tips_losses;

#endif
