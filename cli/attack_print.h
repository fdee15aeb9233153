/* What attacks and corruptions came to, as tables. */
#ifndef TIPS_CLI_ATTACK_PRINT_H
#define TIPS_CLI_ATTACK_PRINT_H

#include "attack/attack.h"

#include <stdio.h>

/* The cases, and below them the corruptions summed up. */
tips_status cli_print_attack(const tips_attack_result *r, FILE *file) TIPS_MUST_CHECK;

#endif
