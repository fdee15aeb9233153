/* What an audit demands: "circular_consistency>=95; exact". */
#ifndef TIPS_AUDIT_REQUIREMENT_H
#define TIPS_AUDIT_REQUIREMENT_H

#include "attack/attack.h"
#include "verify/verify.h"

typedef enum tips_relation {
    TIPS_AT_LEAST,
    TIPS_MORE,
    TIPS_AT_MOST,
    TIPS_LESS,
    TIPS_EQUAL,
    TIPS_HOLDS /* a verdict of the verifier; there is no bound */
} tips_relation;

enum { TIPS_REQUIREMENT_TEXT = 256 };

typedef struct tips_requirement {
    char text[TIPS_REQUIREMENT_TEXT]; /* "circular_consistency >= 95" */
    int metric; /* in the list of the task's metrics and the common ones; -1: one of the attacks' */
    int figure; /* in the list of the attacks' figures, see tips__attack_figure */
    tips_metric_need need;
    tips_relation relation;
    double bound;
    double got; /* not a number before it is checked */
    bool ok;
} tips_requirement;

typedef struct tips_requirements {
    const tips_metric *task;        /* its metrics, from the start */
    const tips_attack_plan *attack; /* what is attacked, from the start; NULL: nothing */
    tips_requirement *items; /* (count), freed by tips__free */
    int count;
} tips_requirements;

/* Adds those of a text, parted by commas or semicolons. */
tips_status tips__requirements_add(tips_requirements *list, const char *text) TIPS_MUST_CHECK;
/* Fills in got and ok; `verification` and `attack` may be NULL if nothing needs them. True if all hold. */
bool tips__requirements_check(tips_requirements *list, const tips_model_result *model,
                              const tips_verify_result *verification, const tips_attack_result *attack);
bool tips__requirements_need(const tips_requirements *list, tips_metric_need need);
/* What was found: "96.50", "yes", "no". */
void tips__requirement_got(const tips_requirement *requirement, char *out, size_t size);

#endif
