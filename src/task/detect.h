/* Detection's own parts: its options, and the way from a network's outputs to boxes. */
#ifndef TIPS_TASK_DETECT_H
#define TIPS_TASK_DETECT_H

#include "box/anchors.h"
#include "task/detect_score.h"

typedef struct tips_detect_config {
    tips_detect_measure measure;
    double anchor;
    int border; /* tips_border */
    double score, overlap, cut;
    int candidates, detections, objects;
    int proposals, sample; /* of networks that look at regions */
} tips_detect_config;
TIPS_TASK_CHECK_CONFIG(tips_detect_config);

static inline const tips_detect_config *tips__detect_config_of(const tips_assignment *a) {
    return tips__task_config(a);
}

/* Candidates as bytes, which grow. */
static inline tips_candidate *tips__detect_candidates(const tips_bytes *list) {
    return (tips_candidate *)(void *)list->data;
}
tips_status tips__detect_candidate_add(tips_bytes *list, int *count, tips_candidate candidate) TIPS_MUST_CHECK;
/* The best of them, one of those that overlap, as an answer. */
tips_status tips__detect_finish(const tips_assignment *a, const tips_bytes *list, int count, tips_torus torus, int most,
                                tips_bytes *answer) TIPS_MUST_CHECK;

/* What sample i of a network with one head for all anchors put out, as boxes by falling score: those above the least
 * score, the best candidates of each level, one of those that overlap, cut off at the border or, on a torus, with their
 * centres within. */
tips_status tips__detect_answer(const tips_assignment *a, const tips_outputs *outputs, int i,
                                tips_bytes *answer) TIPS_MUST_CHECK;

void tips__detect_say(const tips_assignment *a, const tips_bytes *answer, char *const *classes, tips_text *out);
/* Frames of the boxes that have a score of `shown`, in the colours of their classes, with class and score in percent;
 * without names of classes by their numbers. The picture is in colour. */
void tips__detections_draw(const tips_detection *found, int n, double shown, char *const *classes, tips_image *picture);
/* The same on the network's input. */
void tips__detect_draw(const tips_assignment *a, const tips_bytes *answer, tips_image *picture);
/* What is there, with its class. */
void tips__detect_draw_target(const tips_assignment *a, const tips_bytes *target, tips_image *picture);
/* On a pale picture, with the shifts undone: boxes that stay, before in grey and after in blue, and in red those that
 * appear or vanish. */
void tips__detect_draw_difference(const tips_assignment *a, tips_answer_at x, tips_answer_at y, tips_image *picture);
/* The colour of a class. */
void tips__detect_colour(int label, uint8_t rgb[3]);

#endif
