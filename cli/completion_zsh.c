/* Completion for zsh, with a description of every command and flag. */
#include "completion.h"

#include <string.h>

static const char opening[] = "#compdef tips\n"
                              "# Completion of tips for zsh, made by 'tips completion zsh'.\n"
                              "_tips() {\n"
                              "    local command=$words[2] previous=$words[CURRENT-1]\n"
                              "    local -a list\n"
                              "    if [[ $PREFIX == --*=* ]]; then\n"
                              "        previous=${PREFIX%%=*}\n"
                              "        compset -P '*='\n"
                              "    fi\n"
                              "    if (( CURRENT == 2 )); then\n"
                              "        list=(\n";

static const char values_opening[] = "        )\n"
                                     "        _describe -t commands command list\n"
                                     "        return\n"
                                     "    fi\n"
                                     "    case $command:$previous in\n";

static const char flags_opening[] = "    esac\n"
                                    "    if [[ $PREFIX == -* ]]; then\n"
                                    "        case $command in\n";

static const char words_opening[] = "        esac\n"
                                    "        _describe -o option list\n"
                                    "        return\n"
                                    "    fi\n"
                                    "    case $command in\n";

static const char closing[] = "    esac\n"
                              "}\n"
                              "if [ \"$funcstack[1]\" = _tips ]; then _tips \"$@\"; else compdef _tips tips; fi\n";

static void put_offer(const cli_offer *o, FILE *file) {
    if (o->names[0]) fprintf(file, " compset -P '*,'; compadd -- %s;", o->names);
    if (o->files) fputs(" _files;", file);
    else if (o->folders) fputs(" _files -/;", file);
    fputs(" return ;;\n", file);
}

/* A line 'name:what it is' in single quotes; a quote in it ends them and begins them again. */
static void put_described(const char *indent, const char *name, const char *text, FILE *file) {
    fprintf(file, "%s'%s:", indent, name);
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\''", file);
        else if (*text == ':' || *text == '\\') fprintf(file, "\\%c", *text);
        else fputc(*text, file);
    }
    fputs("'\n", file);
}

static void put_values(const cli_command *command, FILE *file) {
    cli_offer offer;
    for (tips_option_walk walk = tips__options_walk(command->options); tips__options_next(&walk);) {
        if (!walk.row.help || walk.row.type == TIPS_OPT_BOOL) continue;
        cli_offer_values(&walk.row, &offer);
        fprintf(file, "    (%s:--%s", command->name, walk.row.name);
        if (strcmp(walk.row.name, "out") == 0) fprintf(file, "|%s:-o", command->name);
        fputc(')', file);
        put_offer(&offer, file);
    }
}

static void put_after(FILE *file) {
    const char *command, *word;
    cli_offer offer;
    for (int i = 0; cli_offer_after(i, &command, &word, &offer); i++) {
        fprintf(file, "    (%s:%s)", command, word);
        put_offer(&offer, file);
    }
}

static void put_flags(const cli_command *command, FILE *file) {
    fprintf(file, "        (%s) list=(\n", command->name);
    for (tips_option_walk walk = tips__options_walk(command->options); tips__options_next(&walk);) {
        char flag[128];
        cli_offer_flag(&walk.row, flag, sizeof flag);
        if (walk.row.help) put_described("            ", flag, walk.row.help, file);
    }
    put_described("            ", "--help", "show what the command does and takes", file);
    fputs("        ) ;;\n", file);
}

static void put_words(const cli_command *command, FILE *file) {
    cli_offer offer;
    cli_offer_words(command, &offer);
    fprintf(file, "    (%s)", command->name);
    put_offer(&offer, file);
}

void cli_complete_zsh(FILE *file) {
    fputs(opening, file);
    for (const cli_command *const *c = cli_commands; *c; c++)
        put_described("            ", (*c)->name, (*c)->brief, file);
    fputs(values_opening, file);
    for (const cli_command *const *c = cli_commands; *c; c++) put_values(*c, file);
    put_after(file);
    fputs(flags_opening, file);
    for (const cli_command *const *c = cli_commands; *c; c++) put_flags(*c, file);
    fputs(words_opening, file);
    for (const cli_command *const *c = cli_commands; *c; c++) put_words(*c, file);
    fputs(closing, file);
}
