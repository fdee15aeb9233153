/* What a shift does to boxes: two views of one picture, their boxes put back to where the picture lies unshifted.
 *
 * A box is shown if its score is high enough. Two boxes that are shown, one in each view, are a pair if their class is
 * the same, their IoU is high enough, and each is the other's best by IoU. A box that is shown and in no pair is lone:
 * it appears or vanishes. Its partner by score is the best of the other view's boxes that are not shown, if there is
 * one.
 *
 * On a ring a box is compared with another where their centres are nearest. Else a part of the picture may be in one
 * view only: pairs and lone boxes count if what both views show holds their boxes, with a pixel to spare on the sides
 * where something was cut off, or came in. */
#ifndef TIPS_METRIC_BOX_JITTER_H
#define TIPS_METRIC_BOX_JITTER_H

#include "metric/consistency.h"
#include "metric/detection.h"

/* The boxes of a view, in its pixels. */
typedef struct tips_boxes_at {
    const tips_detection *boxes; /* (n) */
    int n;
    int shift[2]; /* of the picture, down and right */
    bool circular;
} tips_boxes_at;

typedef struct tips_jitter_rule {
    int size[2];        /* height and width of a view */
    double shown, same; /* least score, least IoU */
    bool scene;         /* what a shift brings in is part of a scene and not black: it is in one view only too */
} tips_jitter_rule;

/* Counts and sums, which may be added up over pictures and shifts. */
typedef struct tips_jitter {
    double pairs;
    double edges;   /* distances of the edges of pairs, mean over the four, in pixels */
    double centres; /* distances of their centres */
    double apart;   /* one minus their IoU */
    double lone;    /* boxes shown in one view only */
    double scored;  /* pairs, and lone boxes with a partner by score */
    double scores;  /* distances of the scores of these */
} tips_jitter;

tips_jitter tips__box_jitter(const tips_jitter_rule *rule, tips_boxes_at x, tips_boxes_at y);
/* The box of y that is a pair with box i of x, or -1. */
int tips__box_partner(const tips_jitter_rule *rule, tips_boxes_at x, tips_boxes_at y, int i);
void tips__jitter_add(tips_jitter *sum, const tips_jitter *one);

/* Means in the units of the sums, and the share of boxes that are lone; not a number of nothing. */
double tips__jitter_edges(const tips_jitter *j);
double tips__jitter_centres(const tips_jitter *j);
double tips__jitter_apart(const tips_jitter *j);
double tips__jitter_scores(const tips_jitter *j);
double tips__jitter_vanishing(const tips_jitter *j);

/* The share of shown boxes that are in pairs, 1 where none are shown; of the objects (n) of the unshifted picture that
 * count and that both views hold, the share that is found in both: by a box that is shown, of its class, and of that
 * IoU. Without such objects the latter is the former. `objects` may be NULL: nothing is right then. */
tips_agreement tips__boxes_agree(const tips_jitter_rule *rule, tips_boxes_at x, tips_boxes_at y,
                                 const tips_object *objects, int n);

#endif
