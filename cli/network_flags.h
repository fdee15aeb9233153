/* The model of a command, and flags that make a network, next to a file that has one. */
#ifndef TIPS_CLI_NETWORK_FLAGS_H
#define TIPS_CLI_NETWORK_FLAGS_H

#include "cli.h"

/* CLI_OK unless `model` (--model) names a file and a flag of the network was given too; then an error that says which
 * command makes such a network. */
int cli_refuse_network_flags(const cli_command *command, const tips_given *given, const char *model);

/* The model as the first of the words, where --model did not name it; the words are then those behind it. */
void cli_take_model(const char **model, int *n_words, char ***words);

/* The same with all words, parted by commas, as `joined`, which the caller frees; NULL where --model named them. */
int cli_take_models(const char **models, int *n_words, char **words, char **joined);

/* Whether a flag was given that makes a network. */
bool cli_makes_network(const tips_given *given);

/* CLI_OK if there is a model, or if a flag asks for a network with random weights; else an error that says how to name
 * one, with `example`: "MODEL photo.jpg". Nobody wants an answer of random weights without having asked for it. */
int cli_need_model(const cli_command *command, const tips_given *given, const char *model, const char *example);

#endif
