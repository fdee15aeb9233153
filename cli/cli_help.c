/* Help for people: the overview, one command's page wrapped to 80 columns, and the command `tips help`. */
#include "cli.h"

#include <string.h>
#include <tips/version.h>

enum { PAGE_WIDTH = 80, COMMAND_COLUMN = 12, FLAG_COLUMN = 26, LINE_SIZE = 1024, LOCATED_SIZE = 8192 };

const char *const cli_usual_exit_codes = "0 success\n"
                                         "1 failure; the reason is on standard error\n"
                                         "2 wrong usage\n"
                                         "130 interrupted\n";

bool cli_next_line(const char **text, char *out, size_t size) {
    if (!*text || !**text) return false;
    const size_t length = strcspn(*text, "\n");
    snprintf(out, size, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == '\n');
    return true;
}

/* Words from column `column` on, continued at `indent`. */
static void print_wrapped(const char *text, size_t column, size_t indent, FILE *file) {
    bool at_start = true;
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (!at_start && column + 1 + length > PAGE_WIDTH) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
            at_start = true;
        }
        if (!at_start) fputc(' ', file), column++;
        fprintf(file, "%.*s", (int)length, text);
        column += length;
        at_start = false;
        text += length;
        while (*text == ' ') text++;
    }
    fputc('\n', file);
}

static void print_paragraphs(const char *text, FILE *file) {
    char line[LINE_SIZE], located[LOCATED_SIZE];
    while (cli_next_line(&text, line, sizeof line)) {
        cli_locate(line, false, located, sizeof located);
        print_wrapped(located, 0, 0, file);
    }
}

static void print_lines(const char *heading, const char *text, FILE *file) {
    char line[LINE_SIZE], located[LOCATED_SIZE];
    if (!text) return;
    fprintf(file, "\n%s:\n", heading);
    while (cli_next_line(&text, line, sizeof line)) {
        cli_locate(line, false, located, sizeof located);
        fprintf(file, "%s%s\n", *line ? "  " : "", located);
    }
}

static const char *metavar(const tips_option *row) {
    if (row->metavar) return row->metavar;
    switch (row->type) {
    case TIPS_OPT_INT: return "N";
    case TIPS_OPT_FLOAT: return "X";
    case TIPS_OPT_CHOICE: return "NAME";
    case TIPS_OPT_LIST:
    case TIPS_OPT_TEXT: return "TEXT";
    case TIPS_OPT_PAIR: return "N[xM]";
    case TIPS_OPT_CHAIN: return "NAME[+NAME...]";
    default: return "";
    }
}

void cli_option_flag(const tips_option *row, char *out, size_t size) {
    const bool is_flag = row->type == TIPS_OPT_BOOL;
    const bool is_on = is_flag && row->fallback && strcmp(row->fallback, "true") == 0;
    const bool is_out = strcmp(row->name, "out") == 0; /* the one flag with a short form */
    snprintf(out, size, "%s--%s%s%s%s", is_out ? "-o, " : "", is_on ? "no-" : "", row->name, is_flag ? "" : " ",
             is_flag ? "" : metavar(row));
}

void cli_option_facts(const tips_option *row, char *out, size_t size) {
    out[0] = '\0';
    if (row->type == TIPS_OPT_BOOL) return;
    char range[LINE_SIZE / 2] = "";
    if (row->type != TIPS_OPT_TEXT && row->type != TIPS_OPT_LIST) tips__option_range(row, range, sizeof range);
    const char *fallback = row->fallback && *row->fallback ? row->fallback : NULL;
    snprintf(out, size, "%s%s%s%s", range, *range && fallback ? "; " : "", fallback ? "default " : "",
             fallback ? fallback : "");
}

static void print_option(const char *flag, const char *text, FILE *file) {
    int column = fprintf(file, "  %s", flag);
    if (column > FLAG_COLUMN - 2) {
        fputc('\n', file);
        column = 0;
    }
    fprintf(file, "%*s", FLAG_COLUMN - column, "");
    print_wrapped(text, FLAG_COLUMN, FLAG_COLUMN, file);
}

static void print_options(const tips_option *table, FILE *file) {
    fputs("\nOptions:\n", file);
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        const tips_option *row = &walk.row;
        char flag[128], facts[LINE_SIZE], text[2 * LINE_SIZE], located[LOCATED_SIZE];
        if (!row->help) continue;
        cli_option_flag(row, flag, sizeof flag);
        cli_option_facts(row, facts, sizeof facts);
        snprintf(text, sizeof text, "%s%s%s%s", row->help, *facts ? " (" : "", facts, *facts ? ")" : "");
        cli_locate(text, false, located, sizeof located);
        print_option(flag, located, file);
    }
    print_option("-h, --help", "show this page", file);
}

static void print_synopsis(const cli_command *command, FILE *file) {
    char line[LINE_SIZE];
    const char *rest = command->synopsis ? command->synopsis : "[OPTION...]", *lead = "Usage:";
    while (cli_next_line(&rest, line, sizeof line)) {
        fprintf(file, "%s tips %s %s\n", lead, command->name, line);
        lead = "      ";
    }
}

void cli_print_help(const cli_command *command, FILE *file) {
    fprintf(file, "tips %s - ", command->name);
    print_wrapped(command->brief, strlen("tips  - ") + strlen(command->name), 4, file);
    fputc('\n', file);
    print_synopsis(command, file);
    if (command->details) {
        fputc('\n', file);
        print_paragraphs(command->details, file);
    }
    print_options(command->options, file);
    print_lines("Examples", command->examples, file);
    print_lines("Exit codes", command->exit_codes ? command->exit_codes : cli_usual_exit_codes, file);
}

void cli_print_overview(FILE *file) {
    fputs("tips - measure and fix how much a vision network's answer depends on a shift\n\n"
          "Usage: tips COMMAND [OPTION...]\n"
          "       tips help COMMAND\n"
          "       tips --version\n\n"
          "Commands:\n",
          file);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        const int column = fprintf(file, "  %s", (*command)->name);
        if (column > COMMAND_COLUMN - 1) fputc('\n', file);
        fprintf(file, "%*s", COMMAND_COLUMN - (column > COMMAND_COLUMN - 1 ? 0 : column), "");
        print_wrapped((*command)->brief, COMMAND_COLUMN, COMMAND_COLUMN, file);
    }
    fputs("\nStart with 'tips list pools', or 'tips help verify'.\n", file);
}

void cli_print_version(FILE *file) {
    char engine[64];
    tips_engine_info(engine, sizeof engine);
    fprintf(file, "tips %s\n%s\n%s\n", tips_version(), tips_build_info(), engine);
}

typedef struct help_config {
    bool man;
    tips_given given;
} help_config;

static const tips_option help_options[] = {
    TIPS_GIVEN_ROW(help_config, given),
    {.name = "man", .type = TIPS_OPT_BOOL, .offset = offsetof(help_config, man), .fallback = "false"},
    {.type = TIPS_OPT_END},
};

static int run_help(void *config, int n_words, char **words) {
    const help_config *help = config;
    const int code = cli_expect_words(&cli_help_command, 1, n_words, words);
    if (code != CLI_OK) return code;
    const cli_command *command = n_words ? cli_find_command(words[0]) : NULL;
    if (n_words && !command) return cli_usage_error(NULL, "there is no command '%s' to help with", words[0]);
    if (help->man) cli_print_man(command, stdout);
    else if (command) cli_print_help(command, stdout);
    else cli_print_overview(stdout);
    return CLI_OK;
}

const cli_command cli_help_command = {
    .name = "help",
    .brief = "show what the commands do and take",
    .synopsis = "[COMMAND]",
    .details = "Without a command, lists them all. 'tips COMMAND --help' shows the same page as 'tips help COMMAND'.",
    .options = help_options,
    .words = "COMMAND",
    .config_size = sizeof(help_config),
    .run = run_help,
    .examples = "tips help\ntips help verify\n",
};
