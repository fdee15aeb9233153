/* tips completion: scripts that let a shell complete commands, flags and values, made from the tables. */
#include "cli.h"
#include "completion.h"

#include <string.h>

static const struct shell {
    const char *name;
    void (*print)(FILE *file);
} shells[] = {{"bash", cli_complete_bash}, {"zsh", cli_complete_zsh}, {"fish", cli_complete_fish}};

static int run(void *config, int n_words, char **words) {
    (void)config;
    const int code = cli_expect_words(&cli_completion, 1, n_words, words);
    if (code != CLI_OK) return code;
    for (size_t i = 0; n_words && i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, words[0]) != 0) continue;
        shells[i].print(stdout);
        return CLI_OK;
    }
    return cli_usage_error(&cli_completion, "name the shell: bash, zsh or fish");
}

const cli_command cli_completion = {
    .name = "completion",
    .brief = "print a script that lets bash, zsh or fish complete command lines of tips",
    .synopsis = "bash|zsh|fish",
    .details =
        "Commands, flags, and the names of operators, architectures, datasets, protocols and so on are completed, "
        "all from the tables that the help comes from. 'make install' puts the scripts where the shells look for "
        "them; the examples are for a copy that is not installed.",
    .words = "bash zsh fish",
    .run = run,
    .examples = "source <(tips completion bash)\n"
                "tips completion zsh >~/.zfunc/_tips\n"
                "tips completion fish >~/.config/fish/completions/tips.fish\n",
};
