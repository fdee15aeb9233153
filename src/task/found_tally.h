/* What a detector from elsewhere found over a set of pictures, to tell a wrong style of boxes from a network that is
 * merely not good: with it hardly anything is found, scores are no scores, or boxes lie where no picture is. */
#ifndef TIPS_TASK_FOUND_TALLY_H
#define TIPS_TASK_FOUND_TALLY_H

#include "task/task.h"

typedef struct tips_found_tally {
    int64_t pictures, boxes;
    int64_t no_scores; /* scores outside of 0..1 */
    int64_t misplaced; /* boxes beside the input, or much larger than it */
    double best;       /* score */
    const char *style; /* NULL of our own detectors, which are not counted */
    bool style_guessed;
} tips_found_tally;

/* Nothing is counted unless the network is a detector from elsewhere. */
void tips__found_tally_add(tips_found_tally *tally, const tips_assignment *a, const tips_bytes *answer);
/* A sentence for TIPS_WARNING_SIZE bytes, if something is wrong. */
bool tips__found_tally_warn(const tips_found_tally *tally, char *out);

#endif
