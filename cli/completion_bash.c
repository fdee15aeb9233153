/* Completion for bash, which needs nothing but bash itself. */
#include "completion.h"

#include <string.h>

static const char opening[] =
    "# Completion of tips for bash, made by 'tips completion bash'.\n"
    "_tips_offer() {\n"
    "    local line\n"
    "    while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen \"$@\" -- \"$current\")\n"
    "}\n"
    "# Names, also behind others and a comma.\n"
    "_tips_names() {\n"
    "    local before=\n"
    "    case $current in *,*) before=${current%,*}, current=${current##*,} ;; esac\n"
    "    _tips_offer -P \"$before\" -W \"$1\"\n"
    "}\n"
    "_tips_files() { compopt -o filenames 2>/dev/null; _tips_offer -f; }\n"
    "_tips_folders() { compopt -o filenames 2>/dev/null; _tips_offer -d; }\n"
    "\n"
    "# What the value of a flag, or the word behind another, may be; fails if there is nothing to say about it.\n"
    "_tips_value() {\n"
    "    case $command:$previous in\n";

static const char middle[] = "    *) return 1 ;;\n"
                             "    esac\n"
                             "}\n"
                             "\n"
                             "_tips_flags() {\n"
                             "    case $command in\n";

static const char words_opening[] = "    esac\n"
                                    "}\n"
                                    "\n"
                                    "_tips_words() {\n"
                                    "    case $command in\n";

static const char closing[] =
    "_tips() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}\n"
    "    COMPREPLY=()\n"
    "    if [ \"$current\" = = ]; then\n"
    "        current=\n"
    "    elif [ \"$previous\" = = ]; then\n"
    "        previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        _tips_commands\n"
    "    elif ! _tips_value; then\n"
    "        case $current in\n"
    "        -*) _tips_flags ;;\n"
    "        *) _tips_words ;;\n"
    "        esac\n"
    "    fi\n"
    "}\n"
    "complete -F _tips tips\n";

static void put_offer(const cli_offer *o, FILE *file) {
    if (o->names[0]) fprintf(file, " _tips_names '%s'", o->names);
    if (o->files) fprintf(file, "%s _tips_files", o->names[0] ? ";" : "");
    else if (o->folders) fprintf(file, "%s _tips_folders", o->names[0] ? ";" : "");
    else if (!o->names[0]) fputs(" :", file);
    fputs(" ;;\n", file);
}

static void put_values(const cli_command *command, FILE *file) {
    cli_offer offer;
    for (tips_option_walk walk = tips__options_walk(command->options); tips__options_next(&walk);) {
        if (!walk.row.help || walk.row.type == TIPS_OPT_BOOL) continue;
        cli_offer_values(&walk.row, &offer);
        fprintf(file, "    %s:--%s", command->name, walk.row.name);
        if (strcmp(walk.row.name, "out") == 0) fprintf(file, " | %s:-o", command->name);
        fputc(')', file);
        put_offer(&offer, file);
    }
}

static void put_flags(const cli_command *command, FILE *file) {
    fprintf(file, "    %s) _tips_offer -W '", command->name);
    for (tips_option_walk walk = tips__options_walk(command->options); tips__options_next(&walk);) {
        char flag[128];
        cli_offer_flag(&walk.row, flag, sizeof flag);
        if (walk.row.help) fprintf(file, "%s ", flag);
    }
    fputs("--help' ;;\n", file);
}

static void put_after(FILE *file) {
    const char *command, *word;
    cli_offer offer;
    for (int i = 0; cli_offer_after(i, &command, &word, &offer); i++) {
        fprintf(file, "    %s:%s)", command, word);
        put_offer(&offer, file);
    }
}

static void put_words(const cli_command *command, FILE *file) {
    cli_offer offer;
    cli_offer_words(command, &offer);
    fprintf(file, "    %s)", command->name);
    put_offer(&offer, file);
}

static void put_commands(FILE *file) {
    fputs("_tips_commands() { _tips_offer -W '", file);
    for (const cli_command *const *c = cli_commands; *c; c++) fprintf(file, "%s ", (*c)->name);
    fputs("--help --version'; }\n\n", file);
}

void cli_complete_bash(FILE *file) {
    fputs(opening, file);
    for (const cli_command *const *c = cli_commands; *c; c++) put_values(*c, file);
    put_after(file);
    fputs(middle, file);
    for (const cli_command *const *c = cli_commands; *c; c++) put_flags(*c, file);
    fputs(words_opening, file);
    for (const cli_command *const *c = cli_commands; *c; c++) put_words(*c, file);
    fputs("    esac\n}\n\n", file);
    put_commands(file);
    fputs(closing, file);
}
