/* What an evaluation tells while it runs. */
#ifndef TIPS_CLI_EVAL_PROGRESS_H
#define TIPS_CLI_EVAL_PROGRESS_H

#include "evaluate/evaluate.h"

typedef struct eval_progress {
    double start, shown;
} eval_progress;

/* The cost before a model runs and, on a terminal, progress; nothing if `quiet`. */
void cli_watch_evaluation(tips_evaluate_config *config, eval_progress *progress, bool quiet);

#endif
