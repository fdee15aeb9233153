/* What `tips info` shows, for people and as JSON. */
#ifndef TIPS_CLI_INFO_PRINT_H
#define TIPS_CLI_INFO_PRINT_H

#include "model/model_report.h"

tips_status cli_print_info(const char *path, const tips_model_report *r) TIPS_MUST_CHECK;
tips_status cli_print_info_json(const char *path, const tips_model_report *r) TIPS_MUST_CHECK;

#endif
