/* What tips predict shows. */
#ifndef TIPS_CLI_PREDICT_PRINT_H
#define TIPS_CLI_PREDICT_PRINT_H

#include "predict/predict.h"

#include <stdio.h>

tips_status predict_print_table(const tips_predict_result *result, bool stability, FILE *file) TIPS_MUST_CHECK;
tips_status predict_print_json(const tips_predict_result *result, bool stability, FILE *file) TIPS_MUST_CHECK;

#endif
