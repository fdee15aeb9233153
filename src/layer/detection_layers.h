/* The layers of detectors and their configs. What they read: layer/box_maps.h. */
#ifndef TIPS_LAYER_DETECTION_LAYERS_H
#define TIPS_LAYER_DETECTION_LAYERS_H

#include "box/regions.h"
#include "layer/layers.h"

enum { TIPS_ANCHOR_STEPS = 7 };
/* A truth is six whole numbers: left, top, right and bottom in parts of a pixel, class, 1. */
enum { TIPS_TRUTH_COLUMNS = 6, TIPS_TRUTH_PARTS = TIPS_PIXEL_PARTS };
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

/* A region in a row of an index: left, top, right and bottom in parts of a pixel, and whether there is one. */
enum { TIPS_ROI_COLUMNS = 5 };

typedef struct tips_proposals {
    tips_anchors anchors;
    int candidates; /* the best of each level that are looked at */
    int most;       /* regions that are left */
    double overlap; /* of two of a level that overlap more the better one stays */
    double least;   /* pixels of a side */
} tips_proposals;

typedef struct tips_sample_rois {
    int size[2]; /* of the input */
    bool circular;
    tips_match_rule rule; /* as many as `sample` are drawn, always */
} tips_sample_rois;

typedef struct tips_roi_align {
    int levels, stride[TIPS_ANCHOR_LEVELS][2]; /* of the maps */
    int bins, samples;                         /* bins x bins numbers of a region, each the mean of samples x samples */
    double unit;                               /* size of the regions that the first level begins with */
    bool circular;                             /* beyond the border lies the other end */
} tips_roi_align;

typedef struct tips_roi_box_loss {
    int size[2];
    bool circular;
    tips_box_weights weights;
    double beta; /* as of box_loss */
} tips_roi_box_loss;

extern const tips_layer tips__layer_proposals, tips__layer_sample_rois, tips__layer_roi_align, tips__layer_roi_box_loss;
extern const tips_layer tips__layer_anchor_origins, tips__layer_match_anchors, tips__layer_focal_loss,
    tips__layer_box_loss;

#endif
