/* tips: finds the command, reads its options, runs it. */
#include "cli.h"

#include "core/level.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static int unknown_command(const char *word) {
    enum { MOST = 64 };
    const char *names[MOST + 1] = {NULL};
    for (int i = 0; i < MOST && cli_commands[i]; i++) names[i] = cli_commands[i]->name;
    const char *nearest = tips__nearest(names, word);
    if (!nearest) return cli_usage_error(NULL, "unknown command '%s'", word);
    return cli_usage_error(NULL, "unknown command '%s'; did you mean '%s'?", word, nearest);
}

static int run_command(const cli_command *command, int argc, char **argv) {
    void *config = calloc(1, command->config_size ? command->config_size : 1);
    if (!config) {
        fputs("tips: out of memory\n", stderr);
        return CLI_FAILURE;
    }
    int n_words = 0;
    bool wants_help = false;
    int code = cli_parse(command, argc, argv, config, &n_words, &wants_help);
    if (wants_help) {
        cli_print_help(command, stdout);
        code = CLI_OK;
    } else if (code == CLI_OK) {
        code = cli_report(tips__options_check_outputs(command->options, config));
        if (code == CLI_OK) code = command->run(config, n_words, argv);
    }
    free(config);
    return code;
}

static bool is_one_of(const char *word, const char *one, const char *other) {
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        cli_print_overview(stderr);
        return CLI_USAGE;
    }
    if (is_one_of(argv[1], "-h", "--help")) {
        cli_print_overview(stdout);
        return CLI_OK;
    }
    if (is_one_of(argv[1], "-V", "--version")) {
        cli_print_version(stdout);
        return CLI_OK;
    }
    if (argv[1][0] == '-') return cli_usage_error(NULL, "unknown flag '%s'; a command comes first", argv[1]);
    const cli_command *command = cli_find_command(argv[1]);
    return command ? run_command(command, argc - 2, argv + 2) : unknown_command(argv[1]);
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow fails to be written, and its temporary goes */
    int code = cli_report(tips__level_check());
    if (code == CLI_OK) code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("tips: the output could not be written\n", stderr);
        return code == CLI_OK ? CLI_FAILURE : code;
    }
    return code;
}
