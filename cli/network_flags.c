/* A flag that changes nothing would put a wrong name on a result. */
#include "network_flags.h"

#include "core/path.h"
#include "model/model_file.h"
#include "model/model_options.h"

#include <stdlib.h>
#include <string.h>

static const char *const of_the_run[] = {"seed", "threads", "size", NULL};
static const char *const convertible[] = {"pool", "lpf", "padding", NULL};

static bool is_in(const char *const *names, const char *name) {
    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

/* Of a list of files, the first. */
static void first_of(const char *models, char out[TIPS_PATH_SIZE]) {
    snprintf(out, TIPS_PATH_SIZE, "%.*s", (int)strcspn(models, ","), models);
}

static bool is_from_elsewhere(const char *model) {
    tips_model_info info;
    if (tips__model_info_load(model, &info) != TIPS_OK) return false;
    const bool is = info.config.blueprint != NULL;
    tips__model_info_clear(&info);
    return is;
}

static int refuse(const cli_command *command, const char *models, const char *name) {
    char model[TIPS_PATH_SIZE];
    if (!is_in(convertible, name))
        return cli_usage_error(command, "--%s makes a network, and --model %s is one already; leave one of them out",
                               name, models);
    first_of(models, model);
    const bool elsewhere = is_from_elsewhere(model);
    return cli_usage_error(
        command,
        "--%s makes a network, and --model %s is one already; 'tips %s%s --%s ... --out %s' makes one "
        "of it that has this",
        name, models, elsewhere ? "convert " : "train --init ", model, name, elsewhere ? "FILE" : "DIR");
}

/* The first flag given that makes a network; NULL: there is none. */
static const char *network_flag(const tips_given *given) {
    tips_option row;
    for (int i = 0; i < given->count; i++)
        if (tips__option_find(tips__model_rows, given->names[i], &row) && !is_in(of_the_run, row.name)) return row.name;
    return NULL;
}

bool cli_makes_network(const tips_given *given) { return network_flag(given) != NULL; }

int cli_refuse_network_flags(const cli_command *command, const tips_given *given, const char *model) {
    const char *flag = network_flag(given);
    return model && *model && flag ? refuse(command, model, flag) : CLI_OK;
}

void cli_take_model(const char **model, int *n_words, char ***words) {
    if (*n_words == 0 || (*model && **model)) return;
    *model = **words;
    (*words)++, (*n_words)--;
}

static char *join_by_commas(int n, char **words) {
    size_t size = 1;
    for (int i = 0; i < n; i++) size += strlen(words[i]) + 1;
    char *text = calloc(size, 1);
    for (int i = 0; i < n && text; i++) sprintf(text + strlen(text), "%s%s", i ? "," : "", words[i]);
    return text;
}

int cli_take_models(const char **models, int *n_words, char **words, char **joined) {
    *joined = NULL;
    if (*n_words == 0 || (*models && **models)) return CLI_OK;
    *models = *joined = join_by_commas(*n_words, words);
    *n_words = 0;
    if (*joined) return CLI_OK;
    fputs("tips: out of memory\n", stderr);
    return CLI_FAILURE;
}

int cli_need_model(const cli_command *command, const tips_given *given, const char *model, const char *example) {
    if ((model && *model) || cli_makes_network(given)) return CLI_OK;
    return cli_usage_error(command,
                           "there is no model: name one, 'tips %s %s', an .onnx or .safetensors file; with --arch, a "
                           "network of random weights answers",
                           command->name, example);
}
