/* The tables and figures of the paper: what it says, what came out here, and what studies that are at hand say. */
#ifndef TIPS_STUDY_PAPER_H
#define TIPS_STUDY_PAPER_H

#include <stdbool.h>
#include <stdio.h>

#include "core/json.h"

typedef enum tips_verdict {
    TIPS_VERDICT_HOLDS,
    TIPS_VERDICT_FAILS,
    TIPS_VERDICT_UNTESTABLE,
    TIPS_VERDICT_MISSING
} tips_verdict;
/* "holds", "does not hold", "cannot be tested here", "missing" */
extern const char *const tips__verdict_names[];

typedef struct tips_paper_item {
    const char *label, *what, *theirs, *ours, *command;
    const char *study; /* NULL: no study makes it */
    tips_verdict verdict;
    const char *axis, *better, *worse, *figure; /* the claim: see paper.def */
} tips_paper_item;
extern const tips_paper_item tips__paper[]; /* closed by one without a label */

/* What the models of a study say of a claim. */
typedef struct tips_paper_state {
    int models, cells; /* done, of all */
    int better, worse; /* models behind the claim; with r the pairs, and 0 */
    double difference; /* of their means, or r; not a number without any */
    bool paired;       /* models that share all else were compared with one another */
    double low, high;  /* 95 %: Student's interval over pairs, Welch's without them, or the clusters' of r */
} tips_paper_state;

/* Whether a folder has what 'tips study' leaves at its end. */
bool tips__paper_has_study(const char *folder);
/* From folder/study.json. `*found` is false if it is of another study, or there is none. */
tips_status tips__paper_look(const tips_paper_item *item, const char *folder, tips_paper_state *state,
                             bool *found) TIPS_MUST_CHECK;
/* "holds", "does not hold", or that it cannot be told. */
const char *tips__paper_judge(const tips_paper_item *item, const tips_paper_state *state);

/* The table as docs/paper.md has it. */
void tips__paper_markdown(FILE *file);

#endif
