/* What `tips eval` shows, for people and as JSON. */
#ifndef TIPS_CLI_EVAL_PRINT_H
#define TIPS_CLI_EVAL_PRINT_H

#include "evaluate/evaluate.h"

#include <stdio.h>

/* One model with its intervals, layers, sizes and heat maps; several as one table to compare. */
tips_status cli_print_eval(const tips_evaluate_result *r, FILE *file) TIPS_MUST_CHECK;
/* One model as an object; several as {"models": [...]}. */
tips_status cli_print_eval_json(const tips_evaluate_result *r, FILE *file) TIPS_MUST_CHECK;

#endif
