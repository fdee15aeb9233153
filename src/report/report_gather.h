/* Filling a report from elsewhere than run folders. */
#ifndef TIPS_REPORT_REPORT_GATHER_H
#define TIPS_REPORT_REPORT_GATHER_H

#include "evaluate/evaluate.h"
#include "model/model_file.h"
#include "report/report_data.h"

/* One model of an evaluation. What was taken before a failure is freed with the report. */
tips_status tips__report_take_result(const tips_evaluate_result *result, const tips_model_result *model,
                                     tips_report_evaluation *out) TIPS_MUST_CHECK;
/* Where examples of one model come from. */
typedef struct tips_report_subject {
    const tips_loaded_model *model;
    tips_dataset *set;
    tips_split split;
    const tips_evaluate_class_match *classes; /* as the evaluation had them */
    int wanted, search;                       /* examples, and pictures that are looked at for them */
} tips_report_subject;
/* Examples of one model: pictures whose answer a small shift changes, or, where answers agree in part, changes most. If
 * there are none `data` says why. */
tips_status tips__report_examples_of(const tips_report_subject *subject, tips_report_data *data) TIPS_MUST_CHECK;
/* A copy of a text, NULL of NULL. */
tips_status tips__report_copy(const char *text, char **out) TIPS_MUST_CHECK;

#endif
