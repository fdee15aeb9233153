/* Completion for fish: a line for every command and flag. */
#include "completion.h"

#include <string.h>

static void put_quoted(const char *flag, const char *text, FILE *file) {
    fprintf(file, " %s '", flag);
    cli_put_shielded(text, "'\\", "\\", file);
    fputc('\'', file);
}

/* -x: a value that is no file; -r: a value, with files where -F asks for them. */
static void put_offer(const cli_offer *o, FILE *file) {
    fputs(o->files ? " -r -F" : " -x", file);
    if (o->names[0]) put_quoted("-a", o->names, file);
    else if (o->folders) put_quoted("-a", "(__fish_complete_directories)", file);
}

static void put_option(const cli_command *command, const tips_option *row, FILE *file) {
    char flag[128];
    cli_offer offer;
    cli_offer_flag(row, flag, sizeof flag);
    fprintf(file, "complete -c tips -n '__fish_seen_subcommand_from %s' -l %s", command->name, flag + 2);
    if (strcmp(row->name, "out") == 0) fputs(" -s o", file);
    if (row->type != TIPS_OPT_BOOL) {
        cli_offer_values(row, &offer);
        put_offer(&offer, file);
    }
    put_quoted("-d", row->help, file);
    fputc('\n', file);
}

static void put_words(const char *condition, const cli_offer *o, FILE *file) {
    if (!o->names[0] && !o->files && !o->folders) return;
    fputs("complete -c tips", file);
    put_quoted("-n", condition, file);
    if (o->files) fputs(" -F", file);
    if (o->names[0]) put_quoted("-a", o->names, file);
    else if (o->folders) put_quoted("-a", "(__fish_complete_directories)", file);
    fputc('\n', file);
}

static void put_command(const cli_command *command, FILE *file) {
    char condition[128];
    cli_offer offer;
    fprintf(file, "complete -c tips -n __fish_use_subcommand -a %s", command->name);
    put_quoted("-d", command->brief, file);
    fputc('\n', file);
    cli_offer_words(command, &offer);
    snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", command->name);
    put_words(condition, &offer, file);
    for (tips_option_walk walk = tips__options_walk(command->options); tips__options_next(&walk);)
        if (walk.row.help) put_option(command, &walk.row, file);
}

void cli_complete_fish(FILE *file) {
    const char *command, *word;
    cli_offer offer;
    fputs("# Completion of tips for fish, made by 'tips completion fish'.\ncomplete -c tips -f\n"
          "complete -c tips -s h -l help -d 'show what a command does and takes'\n"
          "complete -c tips -n __fish_use_subcommand -s V -l version -d 'show the version'\n",
          file);
    for (const cli_command *const *c = cli_commands; *c; c++) put_command(*c, file);
    for (int i = 0; cli_offer_after(i, &command, &word, &offer); i++) {
        char condition[128];
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from %s",
                 command, word);
        put_words(condition, &offer, file);
    }
}
