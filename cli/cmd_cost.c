/* tips cost. */
#include "cli.h"

static const tips_option options[] = {{.type = TIPS_OPT_END}};

static int run(void *config, int n_words, char **words) {
    (void)config, (void)n_words, (void)words;
    fputs("tips cost: not available\n", stderr);
    return CLI_FAILURE;
}

const cli_command cli_cost = {
    .name = "cost",
    .brief = "count the parameters and the arithmetic of a network",
    .synopsis = "[OPTION...]",
    .options = options,
    .run = run,
};
