/* Training: one step of SGD with momentum on
 *     (1 - alpha) L_task + [undo] alpha L_undo + L_FM,
 * where L_task is the cross-entropy. Operators without losses of their own train on L_task alone, with weight 1. */
#ifndef TIPS_TRAIN_H
#define TIPS_TRAIN_H

#include <tips/api.h>
#include <tips/losses.h>
#include <tips/network.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Here 0 means 0. Start from tips_train_defaults(). */
typedef struct tips_train_options {
    double lr;           /* 0.05 */
    double momentum;     /* 0.9; v = momentum v + gradient + weight_decay w,  w -= lr v */
    double weight_decay; /* 1e-4 */
    double alpha;        /* 0.35, 0..1 */
    bool undo;           /* true; the paper leaves L_undo out in the first 40 % of the epochs */
} tips_train_options;

/* The paper's values for classification. */
TIPS_API tips_train_options tips_train_defaults(void);

/* One step on n images (n, channels, height, width) with labels (n) in 0..classes-1. `options` may be NULL for the
 * defaults; `losses`, before the update, may be NULL. Fails with TIPS_NUMERIC, without an update, if an image or the
 * loss is not finite; after a loss that is not, the running statistics are not to be trusted. The same seed, batches
 * and number of threads give the same bits. */
TIPS_API tips_status tips_network_train_step(tips_network *network, const float *images, const int32_t *labels, int n,
                                             const tips_train_options *options, tips_losses *losses) TIPS_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
