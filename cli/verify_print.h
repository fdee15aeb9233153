/* What `tips verify` shows, for people and as JSON. */
#ifndef TIPS_CLI_VERIFY_PRINT_H
#define TIPS_CLI_VERIFY_PRINT_H

#include "verify/verify.h"

#include <stdio.h>

/* The network, the layers and the verdict; if `quiet` the verdict only. */
/* The verdict behind a table of those layers that break by themselves, with how many differ because of each. */
tips_status cli_print_breaks(const tips_verify_result *result, FILE *file) TIPS_MUST_CHECK;
tips_status cli_print_verify(const tips_verify_result *r, bool quiet, FILE *file) TIPS_MUST_CHECK;
tips_status cli_print_verify_json(const tips_verify_result *r, FILE *file) TIPS_MUST_CHECK;

#endif
