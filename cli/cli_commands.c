/* The table of commands. */
#include "cli.h"

#include <string.h>

#define CLI_COMMAND(command) &command,
const cli_command *const cli_commands[] = {
#include "commands.def"
    NULL};
#undef CLI_COMMAND

const cli_command *cli_find_command(const char *name) {
    for (const cli_command *const *command = cli_commands; *command; command++) {
        if (strcmp((*command)->name, name) == 0) return *command;
    }
    return NULL;
}
