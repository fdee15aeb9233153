/* tips list. */
#include "cli.h"

static const tips_option options[] = {{.type = TIPS_OPT_END}};

static int run(void *config, int n_words, char **words) {
    (void)config, (void)n_words, (void)words;
    fputs("tips list: not available\n", stderr);
    return CLI_FAILURE;
}

const cli_command cli_list = {
    .name = "list",
    .brief = "list the pooling operators, architectures and engines",
    .synopsis = "[OPTION...]",
    .options = options,
    .run = run,
};
