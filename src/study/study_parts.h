/* What the files of this room share of a study. */
#ifndef TIPS_STUDY_STUDY_PARTS_H
#define TIPS_STUDY_STUDY_PARTS_H

#include "study/study.h"

/* What all runs of the study share. */
tips_runs_config tips__study_runs(const tips_study *study);
/* The threads of a cell's model: what the file says, unless the command line does; else its share. */
int tips__study_threads(const tips_study *study, int cell, int share);

#endif
