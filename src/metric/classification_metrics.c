/* The metrics of telling classes apart, the main one first. */
#include "metric/classification_metrics.h"

const tips_metric tips__classification_metrics[] = {
    [TIPS_CLASSIFICATION_ACCURACY] = {.name = "accuracy",
                                      .kind = TIPS_SHIFT_KINDS,
                                      .need = TIPS_NEEDS_NOTHING,
                                      .unit = "%",
                                      .better = TIPS_HIGHER,
                                      .heading = "accuracy",
                                      .column = "accuracy",
                                      .title = "accuracy",
                                      .label = "accuracy (top-1)",
                                      .help = "the answer to the unshifted picture is right"},
    [TIPS_CLASSIFICATION_TOP5] = {.name = "top5",
                                  .kind = TIPS_SHIFT_KINDS,
                                  .need = TIPS_NEEDS_NOTHING,
                                  .unit = "%",
                                  .better = TIPS_HIGHER,
                                  .label = "accuracy (top-5)",
                                  .help = "the right class is among the five best"},
    [TIPS_CLASSIFICATION_LOSS] = {.name = "loss",
                                  .kind = TIPS_SHIFT_KINDS,
                                  .need = TIPS_NEEDS_TRAINING,
                                  .unit = "nats",
                                  .better = TIPS_LOWER,
                                  .help = "cross-entropy on the validation data, after each epoch of training"},
    {.name = NULL},
};
