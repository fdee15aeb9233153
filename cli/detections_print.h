/* What `tips eval --detections` shows. */
#ifndef TIPS_CLI_DETECTIONS_PRINT_H
#define TIPS_CLI_DETECTIONS_PRINT_H

#include "evaluate/detections.h"

#include <stdio.h>

tips_status cli_print_detections(const tips_detections_result *r, FILE *file) TIPS_MUST_CHECK;
tips_status cli_print_detections_json(const tips_detections_result *r, FILE *file) TIPS_MUST_CHECK;

#endif
