/* What a reader must know about an evaluation before its figures: sentences, for tables, JSON and pages. */
#ifndef TIPS_EVALUATE_EVALUATE_REMARKS_H
#define TIPS_EVALUATE_EVALUATE_REMARKS_H

#include "core/warning.h"
#include "evaluate/evaluate.h"

enum { TIPS_REMARK_SIZE = TIPS_WARNING_SIZE };

/* Of a tips_model_result. */
extern const tips_warning_rule tips__evaluate_rules[];

/* Remark number `i` about a model, warnings among them, without its name; false beyond the last. */
bool tips__evaluate_remark(const tips_model_result *model, int i, char out[TIPS_REMARK_SIZE]);

#endif
