/* tips list metrics. */
#ifndef TIPS_CLI_LIST_METRICS_H
#define TIPS_CLI_LIST_METRICS_H

#include <stdbool.h>
#include <stdio.h>
#include <tips/status.h>

tips_status cli_list_metrics(bool json, FILE *file) TIPS_MUST_CHECK;

#endif
