/* Flags that make a network, next to a file that has one. */
#ifndef TIPS_CLI_NETWORK_FLAGS_H
#define TIPS_CLI_NETWORK_FLAGS_H

#include "cli.h"

/* CLI_OK unless `model` (--model) names a file and a flag of the network was given too; then an error that says which
 * command makes such a network. */
int cli_refuse_network_flags(const cli_command *command, const tips_given *given, const char *model);

#endif
