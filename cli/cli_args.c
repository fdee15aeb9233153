/* Arguments by an option table: --name value, --name=value, --flag, --no-flag, -o for --out, words, and "--" before
 * words only. */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FLAG_SIZE = 64, TEXT_SIZE = 4096 };

int cli_report(tips_status status) {
    if (status == TIPS_OK) return CLI_OK;
    fflush(stdout); /* what was found out comes before what went wrong */
    fprintf(stderr, "tips: %s\n", tips_last_error());
    if (status == TIPS_INTERRUPTED) return CLI_INTERRUPTED;
    return status == TIPS_INVALID || status == TIPS_RANGE || status == TIPS_UNKNOWN ? CLI_USAGE : CLI_FAILURE;
}

static void point_to_help(const cli_command *command) {
    const char *name = command ? command->name : NULL;
    fprintf(stderr, "Try 'tips %s%s'.\n", name ? name : "help", name ? " --help" : "");
}

int cli_usage_error(const cli_command *command, const char *fmt, ...) {
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fprintf(stderr, "tips%s%s: ", command ? " " : "", command ? command->name : "");
    cli_put_shown(text, strlen(text), stderr);
    fputc('\n', stderr);
    point_to_help(command);
    return CLI_USAGE;
}

int cli_expect_words(const cli_command *command, int most, int n_words, char **words) {
    if (n_words <= most) return CLI_OK;
    return cli_usage_error(command, "'%s' is one word too many", words[most]);
}

/* One command line being read. */
typedef struct reader {
    const cli_command *command;
    void *config;
    int argc, at;
    char **argv;
} reader;

static int unknown_flag(const cli_command *command, const char *given, const char *name) {
    const char *nearest = tips__option_nearest(command->options, name);
    if (!nearest) return cli_usage_error(command, "unknown flag '%s'", given);
    return cli_usage_error(command, "unknown flag '%s'; did you mean '--%s'?", given, nearest);
}

static int set(const reader *r, const tips_option *row, const char *value) {
    char where[FLAG_SIZE];
    snprintf(where, sizeof where, "--%s", row->name);
    if (tips__option_set(row, r->config, value, where) == TIPS_OK) return CLI_OK;
    return cli_usage_error(r->command, "%s", tips_last_error());
}

/* The BOOL row that "no-name" switches off. */
static bool find_negated(const cli_command *command, const char *name, tips_option *row) {
    if (strncmp(name, "no-", 3) != 0) return false;
    return tips__option_find(command->options, name + 3, row) && row->type == TIPS_OPT_BOOL;
}

/* -o is --out in every command that has it. */
static bool find_short(const cli_command *command, const char *argument, tips_option *row) {
    return strcmp(argument, "-o") == 0 && tips__option_find(command->options, "out", row);
}

/* The value of a flag that is the next argument. */
static int take_value(reader *r, const tips_option *row) {
    const char *value = r->at < r->argc ? r->argv[r->at] : NULL;
    if (row->type == TIPS_OPT_BOOL) return set(r, row, "true");
    if (!value || strncmp(value, "--", 2) == 0) {
        char range[256];
        tips__option_range(row, range, sizeof range);
        return cli_usage_error(r->command, "--%s needs a value: %s", row->name, range);
    }
    r->at++;
    return set(r, row, value);
}

static int read_flag(reader *r) {
    const char *given = r->argv[r->at++], *equals = strchr(given, '=');
    const size_t length = equals ? (size_t)(equals - given) - 2 : strlen(given) - 2;
    char name[FLAG_SIZE];
    if (length == 0 || length >= sizeof name) return cli_usage_error(r->command, "unknown flag '%s'", given);
    memcpy(name, given + 2, length);
    name[length] = '\0';

    tips_option row;
    if (!tips__option_find(r->command->options, name, &row)) {
        if (!find_negated(r->command, name, &row)) return unknown_flag(r->command, given, name);
        return equals ? cli_usage_error(r->command, "--%s takes no value", name) : set(r, &row, "false");
    }
    return equals ? set(r, &row, equals + 1) : take_value(r, &row);
}

static bool asks_for_help(const char *argument) {
    return strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0;
}

static int read_arguments(const cli_command *command, int argc, char **argv, void *config, int *n_words,
                          bool *wants_help) {
    reader r = {.command = command, .config = config, .argc = argc, .argv = argv};
    tips_option row;
    for (bool only_words = false; r.at < argc;) {
        char *argument = argv[r.at];
        if (!only_words && asks_for_help(argument)) {
            *wants_help = true;
            return CLI_OK;
        }
        if (!only_words && strcmp(argument, "--") == 0) {
            only_words = true;
            r.at++;
        } else if (!only_words && strncmp(argument, "--", 2) == 0) {
            const int code = read_flag(&r);
            if (code != CLI_OK) return code;
        } else if (!only_words && find_short(command, argument, &row)) {
            r.at++;
            const int code = take_value(&r, &row);
            if (code != CLI_OK) return code;
        } else if (!only_words && argument[0] == '-' && argument[1] != '\0') {
            return cli_usage_error(command, "unknown flag '%s'; flags are written with two dashes", argument);
        } else {
            argv[(*n_words)++] = argument;
            r.at++;
        }
    }
    return CLI_OK;
}

/* The arguments are read twice: into `given`, for the preset to look at, and then over what it has set. */
static int read_with_preset(const cli_command *command, int argc, char **argv, void *config, void *given, char **copy) {
    int n_words = 0;
    bool wants_help = false;
    memcpy(given, config, command->config_size);
    memcpy(copy, argv, (size_t)argc * sizeof *argv);
    const int code = read_arguments(command, argc, copy, given, &n_words, &wants_help);
    if (code != CLI_OK || wants_help) return code;
    return cli_report(command->preset(given, n_words, copy, config));
}

static int apply_preset(const cli_command *command, int argc, char **argv, void *config) {
    void *given = calloc(1, command->config_size);
    char **copy = calloc((size_t)argc + 1, sizeof *copy);
    int code = CLI_FAILURE;
    if (given && copy) code = read_with_preset(command, argc, argv, config, given, copy);
    else fputs("tips: out of memory\n", stderr);
    free(given);
    free(copy);
    return code;
}

int cli_parse(const cli_command *command, int argc, char **argv, void *config, int *n_words, bool *wants_help) {
    const tips_status status = tips__options_defaults(command->options, config);
    if (status != TIPS_OK) return cli_report(status);
    const int code = command->preset ? apply_preset(command, argc, argv, config) : CLI_OK;
    if (code != CLI_OK) return code;
    return read_arguments(command, argc, argv, config, n_words, wants_help);
}
