/* What the files of this room share of a run. */
#ifndef TIPS_STUDY_STUDY_RUN_PARTS_H
#define TIPS_STUDY_STUDY_RUN_PARTS_H

#include "study/study_run.h"

tips_status tips__run_write(const tips_run *run, int limit) TIPS_MUST_CHECK;

#endif
