/* Scores of samples as they come in, and the figures they make. */
#ifndef TIPS_TASK_TALLY_H
#define TIPS_TASK_TALLY_H

#include "task/task.h"

/* Summed batch by batch where the task can sum them, so that the order of additions is that of the batches; else, or if
 * `keep` is set, all are kept: intervals may be drawn over pictures then. */
typedef struct tips_tally {
    const tips_assignment *assignment;
    bool keep;
    tips_bytes *scores; /* (count): all of them, or their sum */
    int count, capacity;
    tips_bytes one, batch; /* the score at hand, and the sum of the batch so far */
} tips_tally;

/* Starts from {.assignment, .keep}. */
tips_status tips__tally_add(tips_tally *tally, const tips_outputs *outputs, int i,
                            const tips_bytes *target) TIPS_MUST_CHECK;
tips_status tips__tally_end_batch(tips_tally *tally) TIPS_MUST_CHECK;
/* One for each metric of the task; tips__figure_none where nothing was counted. */
tips_status tips__tally_figures(const tips_tally *tally, tips_figure figures[TIPS_MOST_OWN_METRICS]) TIPS_MUST_CHECK;
void tips__tally_reset(tips_tally *tally);          /* counts from nothing again */
void tips__tally_cut(tips_tally *tally, int count); /* of scores that are kept: the first so many */
void tips__tally_clear(tips_tally *tally);

/* The sum of a task that sums, as hexadecimal text and back, for checkpoints. "" is nothing yet. */
tips_status tips__tally_format(const tips_tally *tally, tips_text *out) TIPS_MUST_CHECK;
tips_status tips__tally_parse(tips_tally *tally, const char *text) TIPS_MUST_CHECK;

#endif
