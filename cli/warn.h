/* Warnings on standard error. */
#ifndef TIPS_CLI_WARN_H
#define TIPS_CLI_WARN_H

#include "core/warning.h"
#include "evaluate/evaluate.h"

/* "tips: warning: [NAME: ]TEXT", one line each; `name` of the model or file may be NULL. */
void cli_warn(const tips_warning_rule *rules, const void *subject, const char *name);
/* A single one; a text of NULL or "" is none. */
void cli_warn_text(const char *name, const char *text);
/* Those of every model of an evaluation. Where the tables that say them too are shown on the same terminal
 * (`is_shown`), once is enough. */
void cli_warn_evaluation(const tips_evaluate_result *result, bool is_shown);

#endif
