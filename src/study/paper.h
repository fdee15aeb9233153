/* The tables and figures of the paper: what it says, what came out here, and what studies that are at hand say. */
#ifndef TIPS_STUDY_PAPER_H
#define TIPS_STUDY_PAPER_H

#include <stdbool.h>
#include <stdio.h>

#include "core/json.h"
#include "metric/interval.h"

typedef enum tips_verdict {
    TIPS_VERDICT_HOLDS,
    TIPS_VERDICT_FAILS,
    TIPS_VERDICT_UNTOLD,
    TIPS_VERDICT_UNTESTABLE,
    TIPS_VERDICT_JUDGED /* of an item: what its claims come to */
} tips_verdict;
/* "holds", "does not hold", "not told", "cannot be tested here" */
extern const char *const tips__verdict_names[];

/* What models of a study are asked. Those that have the labels of `within`, "axis=label", alone count. */
typedef enum tips_claim_kind {
    TIPS_CLAIM_NONE,
    TIPS_CLAIM_MORE,   /* on `axis`, `better` has more of `figure` than `worse` */
    TIPS_CLAIM_STRONG, /* `better` and `figure` are strongly negatively correlated: r is below -TIPS_STRONG */
    TIPS_CLAIM_EXACT   /* every model with `better` on `axis` has 100 % of `figure` */
} tips_claim_kind;

typedef struct tips_claim {
    tips_claim_kind kind;
    const char *axis, *better, *worse, *figure, *within;
} tips_claim;

#define TIPS_STRONG 0.5

enum { TIPS_PAPER_CLAIMS = 2 };

typedef struct tips_paper_item {
    const char *label, *what, *theirs, *ours;
    const char *operator; /* that stands for the paper's TIPS here; NULL where it says nothing of it */
    const char *command;
    const char *study; /* NULL: no study makes it */
    tips_verdict verdict;
    tips_claim claims[TIPS_PAPER_CLAIMS];
} tips_paper_item;
extern const tips_paper_item tips__paper[]; /* closed by one without a label */

/* What models say of a claim: a difference of means, r, or the least share. */
typedef struct tips_claim_state {
    int better, worse;  /* models behind it; pairs, if there are any; of r all models and the clusters they are in */
    bool paired;        /* models that share all else were compared with one another */
    tips_figure figure; /* Student's interval over pairs, Welch's without them, over clusters, or over pictures */
} tips_claim_state;

typedef struct tips_paper_state {
    int models, cells; /* done, of all */
    tips_claim_state claims[TIPS_PAPER_CLAIMS];
} tips_paper_state;

/* Whether a folder has what 'tips study' leaves at its end, or rows of studies under their names. */
bool tips__paper_has_study(const char *folder);
/* From folder/study.json, or the rows in folder/STUDY.csv, as docs/results/data has them. `*found` is false if it is of
 * another study, or there is none. */
tips_status tips__paper_look(const tips_paper_item *item, const char *folder, tips_paper_state *state,
                             bool *found) TIPS_MUST_CHECK;
/* What the studies of docs/results/data said: paper_results.def. */
tips_paper_state tips__paper_recorded(const tips_paper_item *item);

/* The one rule. A claim holds, or does not, where the whole interval says so; without an interval nothing is told. An
 * item does not hold if one of its claims does not, and holds if all do. */
tips_verdict tips__claim_judge(const tips_claim *claim, const tips_claim_state *state);
tips_verdict tips__paper_judge(const tips_paper_item *item, const tips_paper_state *state);
/* The verdict on an item, by what was recorded. */
tips_verdict tips__paper_verdict(const tips_paper_item *item);
/* "tips - max, standard_consistency: -9.83 (-12.00 to -7.00), 3 pairs: does not hold", as text. */
void tips__claim_describe(const tips_claim *claim, const tips_claim_state *state, char *out, size_t size);

/* "operator", "claims" and "judgement" into the open object. */
void tips__paper_put_claims(tips_json *json, const tips_paper_item *item, const tips_paper_state *state);

/* The table as docs/paper.md has it. */
void tips__paper_markdown(FILE *file);

#endif
