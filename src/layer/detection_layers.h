/* The layers of detectors and their configs. What they read: layer/box_maps.h. */
#ifndef TIPS_LAYER_DETECTION_LAYERS_H
#define TIPS_LAYER_DETECTION_LAYERS_H

#include "box/anchors.h"
#include "layer/layers.h"

enum { TIPS_ANCHOR_STEPS = 7, TIPS_TRUTH_COLUMNS = 6 };
typedef struct tips_anchor_origins {
    tips_anchors anchors;
    int steps, stride[TIPS_ANCHOR_STEPS][2]; /* downsamplings, each with its phase */
    int depth[TIPS_ANCHOR_LEVELS];           /* how many of them lead to a level */
    tips_value maps[TIPS_ANCHOR_LEVELS];     /* of the levels, for the verifier */
} tips_anchor_origins;

typedef struct tips_match_anchors {
    tips_anchors anchors;
    tips_match_rule rule;
} tips_match_anchors;

typedef enum tips_over { TIPS_OVER_TRUTHS, TIPS_OVER_COUNTED } tips_over;

typedef struct tips_focal_loss {
    tips_anchors anchors;
    int classes;         /* 1: whether there is anything, whatever the class of the truth */
    double alpha, gamma; /* alpha below 0: none */
    int over;            /* tips_over: what the sum is divided by */
} tips_focal_loss;

typedef struct tips_box_loss {
    tips_anchors anchors;
    double beta; /* where squares end; 0: nowhere */
    int over;    /* tips_over */
} tips_box_loss;

extern const tips_layer tips__layer_anchor_origins, tips__layer_match_anchors, tips__layer_focal_loss,
    tips__layer_box_loss;

#endif
