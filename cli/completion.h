/* What a shell may offer while a command line is typed, from the tables of commands and options. */
#ifndef TIPS_CLI_COMPLETION_H
#define TIPS_CLI_COMPLETION_H

#include "cli.h"

typedef struct cli_offer {
    char names[2048];    /* parted by blanks; "" for none */
    bool files, folders; /* and these */
} cli_offer;

/* For the value of an option; a BOOL takes none. */
void cli_offer_values(const tips_option *row, cli_offer *out);
/* For the words of a command. */
void cli_offer_words(const cli_command *command, cli_offer *out);
/* For what follows a word of a command: row i of a short list, or false. */
bool cli_offer_after(int i, const char **command, const char **word, cli_offer *out);

/* "--no-msb" for one that is on, else "--msb". */
void cli_offer_flag(const tips_option *row, char *out, size_t size);
/* The text with `shield` before each of these letters. */
void cli_put_shielded(const char *text, const char *letters, const char *shield, FILE *file);

void cli_complete_bash(FILE *file);
void cli_complete_zsh(FILE *file);
void cli_complete_fish(FILE *file);

#endif
