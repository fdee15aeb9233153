/* Filling a report from elsewhere than run folders. */
#ifndef TIPS_REPORT_REPORT_GATHER_H
#define TIPS_REPORT_REPORT_GATHER_H

#include "core/json_tree.h"
#include "report/report_data.h"

/* One model of an eval.json. */
tips_status tips__report_take_evaluation(const tips_json_node *node, tips_report_evaluation *out) TIPS_MUST_CHECK;
/* A copy of a text, NULL of NULL. */
tips_status tips__report_copy(const char *text, char **out) TIPS_MUST_CHECK;

#endif
