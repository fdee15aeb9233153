/* Manual pages in roff, from the same tables as the help. */
#include "cli.h"

#include <ctype.h>
#include <string.h>
#include <tips/version.h>

enum { LINE_SIZE = 1024, LOCATED_SIZE = 8192 };

/* Text in which roff sees no requests: a dash stays a dash, a leading dot is shielded. */
static void put(const char *said, FILE *file) {
    char located[LOCATED_SIZE];
    const char *text = located;
    cli_locate(said, true, located, sizeof located);
    if (*text == '.' || *text == '\'') fputs("\\&", file);
    for (; *text; text++) {
        if (*text == '\\') fputs("\\e", file);
        else if (*text == '-') fputs("\\-", file);
        else fputc(*text, file);
    }
}

static void put_line(const char *text, FILE *file) {
    put(text, file);
    fputc('\n', file);
}

static void put_paragraphs(const char *text, FILE *file) {
    char line[LINE_SIZE];
    for (bool first = true; cli_next_line(&text, line, sizeof line); first = false) {
        if (!first) fputs(".PP\n", file);
        if (*line) put_line(line, file);
    }
}

static void put_verbatim(const char *text, FILE *file) {
    char line[LINE_SIZE];
    fputs(".nf\n", file);
    while (cli_next_line(&text, line, sizeof line)) put_line(line, file);
    fputs(".fi\n", file);
}

static void put_header(const cli_command *command, const char *brief, FILE *file) {
    fputs(".TH TIPS", file);
    if (command) fputc('-', file);
    for (const char *c = command ? command->name : ""; *c; c++) fputc(toupper((unsigned char)*c), file);
    fprintf(file, " 1 \"\" \"tips %s\" \"tips manual\"\n.SH NAME\ntips%s%s \\- ", tips_version(), command ? "\\-" : "",
            command ? command->name : "");
    put_line(brief, file);
}

static void put_synopsis(const cli_command *command, FILE *file) {
    char line[LINE_SIZE];
    const char *rest = command->synopsis ? command->synopsis : "[OPTION...]";
    fputs(".SH SYNOPSIS\n.nf\n", file);
    while (cli_next_line(&rest, line, sizeof line)) {
        fprintf(file, "\\fBtips %s\\fR ", command->name);
        put_line(line, file);
    }
    fputs(".fi\n", file);
}

static void put_options(const tips_option *table, FILE *file) {
    fputs(".SH OPTIONS\n", file);
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        const tips_option *row = &walk.row;
        char flag[128], facts[LINE_SIZE];
        if (!row->help) continue;
        cli_option_flag(row, flag, sizeof flag);
        cli_option_facts(row, facts, sizeof facts);
        fputs(".TP\n.B ", file);
        put_line(flag, file);
        put_line(row->help, file);
        if (!*facts) continue;
        fputc('(', file);
        put(facts, file);
        fputs(")\n", file);
    }
    fputs(".TP\n.B \\-h, \\-\\-help\nshow this page\n", file);
}

static void put_exit_codes(const char *codes, FILE *file) {
    char line[LINE_SIZE];
    fputs(".SH EXIT STATUS\n", file);
    while (cli_next_line(&codes, line, sizeof line)) {
        const size_t digits = strspn(line, "0123456789");
        const char *meaning = line + digits + strspn(line + digits, " ");
        fprintf(file, ".TP\n.B %.*s\n", (int)digits, line);
        put_line(meaning, file);
    }
}

static void put_command_page(const cli_command *command, FILE *file) {
    put_header(command, command->brief, file);
    put_synopsis(command, file);
    fputs(".SH DESCRIPTION\n", file);
    put_paragraphs(command->details ? command->details : command->brief, file);
    put_options(command->options, file);
    if (command->examples) {
        fputs(".SH EXAMPLES\n", file);
        put_verbatim(command->examples, file);
    }
    put_exit_codes(command->exit_codes ? command->exit_codes : cli_usual_exit_codes, file);
    fputs(".SH SEE ALSO\n.BR tips (1)\n", file);
}

static void put_main_page(FILE *file) {
    put_header(NULL, "measure and fix how much a vision network's answer depends on a shift", file);
    fputs(".SH SYNOPSIS\n.nf\n\\fBtips\\fR COMMAND [OPTION...]\n\\fBtips help\\fR COMMAND\n"
          "\\fBtips\\fR \\-\\-version\n.fi\n.SH COMMANDS\n",
          file);
    for (const cli_command *const *command = cli_commands; *command; command++) {
        fprintf(file, ".TP\n.BR tips\\-%s (1)\n", (*command)->name);
        put_line((*command)->brief, file);
    }
    put_exit_codes("0 success\n1 failure; the reason is on standard error\n2 wrong usage\n"
                   "3 a verdict was asked for, and it is negative\n130 interrupted\n",
                   file);
}

void cli_print_man(const cli_command *command, FILE *file) {
    if (command) put_command_page(command, file);
    else put_main_page(file);
}
