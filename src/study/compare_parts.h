/* The files of a comparison. */
#ifndef TIPS_STUDY_COMPARE_PARTS_H
#define TIPS_STUDY_COMPARE_PARTS_H

#include "study/compare.h"

/* Trains and evaluates, or reads the result that is there. */
tips_status tips__compare_do_run(const tips_compare_config *config, tips_compare_run *run) TIPS_MUST_CHECK;
/* Does the runs that have no result yet, config->jobs at a time. */
tips_status tips__compare_parallel(const tips_compare_config *config, tips_compare_run *runs,
                                   int count) TIPS_MUST_CHECK;

/* result.json in run->folder: written when a run is trained and evaluated. `*found` is false if there is none. */
tips_status tips__compare_read(tips_compare_run *run, int limit, bool *found) TIPS_MUST_CHECK;
tips_status tips__compare_write(const tips_compare_run *run, int limit) TIPS_MUST_CHECK;

#endif
