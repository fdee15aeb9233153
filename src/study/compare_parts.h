/* What a comparison fills in once its runs are done. */
#ifndef TIPS_STUDY_COMPARE_PARTS_H
#define TIPS_STUDY_COMPARE_PARTS_H

#include "study/compare.h"

/* The rows' differences from the first. */
tips_status tips__compare_differ(const tips_compare_result *result) TIPS_MUST_CHECK;
/* Those of row i, into the open object. */
void tips__compare_put_differences(tips_json *json, const tips_compare_result *result, int i);

#endif
