/* The command line: what a command is, and what the commands share. */
#ifndef TIPS_CLI_H
#define TIPS_CLI_H

#include "core/option.h"

#include <stddef.h>
#include <stdio.h>
#include <tips/status.h>

enum cli_exit { CLI_OK = 0, CLI_FAILURE = 1, CLI_USAGE = 2, CLI_NEGATIVE = 3, CLI_INTERRUPTED = 130 };

typedef struct cli_command {
    const char *name;           /* "verify" */
    const char *brief;          /* one line without a full stop, beginning with a small letter */
    const char *synopsis;       /* what follows "tips NAME": "[OPTION...]"; several lines for several forms */
    const char *details;        /* paragraphs parted by '\n', wrapped when shown; may be NULL */
    const tips_option *options; /* a TIPS_GIVEN_ROW, then the rest, closed by TIPS_OPT_END; a row without help is not
                                 * shown; may be NULL */
    size_t config_size;
    int (*run)(void *config, int n_words, char **words); /* the words are the arguments that are not flags */
    /* Sets rows of `config`, which holds the defaults, from elsewhere (a recipe), before the flags are read over them;
     * `given` is what flags and words say alone. May be NULL. */
    tips_status (*preset)(const void *given, int n_words, char **words, void *config);
    const char *examples;                                /* lines shown as they are; may be NULL */
    const char *words; /* for completion: "FILE", "DIR", "COMMAND" or names; may be NULL */
    const char *exit_codes;                              /* lines "CODE meaning"; NULL: the usual ones */
} cli_command;

/* What many commands have, for rows that are TIPS_OPT_LIKE these: --json, --verbose. */
extern const tips_option cli_rows[];

/* Declares cli_verify, cli_cost, ... */
#define CLI_COMMAND(command) extern const cli_command command;
#include "commands.def"
#undef CLI_COMMAND

/* Every command of commands.def, closed by NULL. */
extern const cli_command *const cli_commands[];

const cli_command *cli_find_command(const char *name);

/* Prints "tips: " and the last error to stderr if `status` is not TIPS_OK; returns the exit code that fits. */
int cli_report(tips_status status);
/* Prints "tips COMMAND: text" and where help is to stderr; returns CLI_USAGE. `command` may be NULL. */
int cli_usage_error(const cli_command *command, const char *fmt, ...) TIPS_PRINTF(2, 3);
/* CLI_OK if a command was given at most `most` words, else an error that names the first of too many. */
int cli_expect_words(const cli_command *command, int most, int n_words, char **words);

/* Reads argv (without the command's name) into config, defaults first. The words are gathered at the front of argv.
 * Returns CLI_OK, or CLI_USAGE after having said why. `*wants_help` is set if -h or --help is among them. */
int cli_parse(const cli_command *command, int argc, char **argv, void *config, int *n_words, bool *wants_help);

void cli_print_overview(FILE *file);
void cli_print_help(const cli_command *command, FILE *file);
void cli_print_version(FILE *file);
void cli_print_man(const cli_command *command, FILE *file); /* NULL: the page of tips itself */

/* A name as it may be printed: itself, or with control characters spelt out in one of few buffers that are used in
 * turn. */
const char *cli_shown(const char *name);
/* The same for texts of any length that need no zero at the end. */
void cli_put_shown(const char *text, size_t length, FILE *file);

/* A text of the help with docs/ and recipes/ as the folders where they are installed: beside the running command if
 * they are there, or as configured, for the manual. */
void cli_locate(const char *text, bool configured, char *out, size_t size);

/* Pieces of help and manual. */
extern const char *const cli_usual_exit_codes;
void cli_option_flag(const tips_option *row, char *out, size_t size);  /* "--size N" */
void cli_option_facts(const tips_option *row, char *out, size_t size); /* "32..512; default 224", or "" */
/* The next line of `*text` without its newline; false at the end. */
bool cli_next_line(const char **text, char *out, size_t size);

#endif
