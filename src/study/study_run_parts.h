/* What the files of this room share of a run. */
#ifndef TIPS_STUDY_STUDY_RUN_PARTS_H
#define TIPS_STUDY_STUDY_RUN_PARTS_H

#include "study/study_run.h"

/* How a run's model is evaluated; who watches is left to the caller. */
tips_evaluate_config tips__run_evaluation(const tips_runs_config *config, const tips_run *run, const char *model);

tips_status tips__run_write(const tips_run *run, int limit) TIPS_MUST_CHECK;

#endif
