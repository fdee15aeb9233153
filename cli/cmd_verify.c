/* tips verify. */
#include "cli.h"

static const tips_option options[] = {{.type = TIPS_OPT_END}};

static int run(void *config, int n_words, char **words) {
    (void)config, (void)n_words, (void)words;
    fputs("tips verify: not available\n", stderr);
    return CLI_FAILURE;
}

const cli_command cli_verify = {
    .name = "verify",
    .brief = "check whether a network's answer changes when its input is shifted",
    .synopsis = "[OPTION...]",
    .options = options,
    .run = run,
};
