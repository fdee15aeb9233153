/* What a reader must know about an evaluation before its figures: sentences, for tables, JSON and pages. */
#ifndef TIPS_EVALUATE_EVALUATE_REMARKS_H
#define TIPS_EVALUATE_EVALUATE_REMARKS_H

#include "evaluate/evaluate.h"

enum { TIPS_REMARK_SIZE = 512 };

/* Remark number `i` about a model, without its name; false beyond the last. */
bool tips__evaluate_remark(const tips_model_result *model, int i, char out[TIPS_REMARK_SIZE]);

#endif
