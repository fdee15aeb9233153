/* The parts of tips attack: cases one after the other, pictures of them, and what they come to. */
#ifndef TIPS_ATTACK_ATTACK_PARTS_H
#define TIPS_ATTACK_ATTACK_PARTS_H

#include "attack/attack.h"
#include "data/sheet_paper.h"

/* A sheet with a row for each case: for some pictures what they were, what was added, and what they became. */
typedef struct tips_attack_sheet {
    tips_paper paper;
    int pictures; /* in a row; 0: there is no sheet */
    int filled;   /* of the row at hand */
    int row;
    const tips_preprocess *preprocess;
} tips_attack_sheet;

tips_status tips__attack_sheet_create(const tips_attack_config *config, const tips_attack_plan *plan,
                                      const tips_dataset *set, const tips_preprocess *preprocess,
                                      tips_attack_sheet *out) TIPS_MUST_CHECK;
/* Begins the row of a case. */
tips_status tips__attack_sheet_case(tips_attack_sheet *sheet, int row, const char *name) TIPS_MUST_CHECK;
/* Whether the row has room for another picture. */
bool tips__attack_sheet_wants(const tips_attack_sheet *sheet);
/* Planes (c, h, w) before and after. */
tips_status tips__attack_sheet_put(tips_attack_sheet *sheet, const float *before, const float *after) TIPS_MUST_CHECK;
/* Writes it where it was asked for; frees it in any case. */
tips_status tips__attack_sheet_save(tips_attack_sheet *sheet, const char *path) TIPS_MUST_CHECK;
void tips__attack_sheet_free(tips_attack_sheet *sheet);

/* attack_summary.c: from the figures of the cases. `classes` are the network's. */
void tips__attack_sum_up(tips_attack_result *result, int classes);

#endif
