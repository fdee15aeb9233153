/* How the network that is trained and its teacher take their pictures, as far as anybody says. */
#include "train/train_parts.h"

#include "core/fail.h"

#include <stdio.h>

static bool is_guessed(const tips_model_info *info) {
    return info->mean_from == TIPS_INPUT_GUESSED && info->std_from == TIPS_INPUT_GUESSED;
}

/* Said of this very model, not measured or usual. */
static bool is_said(const tips_model_info *info) {
    return info->mean_from <= TIPS_INPUT_GIVEN && info->std_from <= TIPS_INPUT_GIVEN;
}

static void guess_alike(const tips_model_info *from, tips_model_info *to) {
    tips__input_take(from, to);
    to->mean_from = to->std_from = TIPS_INPUT_GUESSED;
}

tips_status tips__train_settle_inputs(const tips_train_config *config, tips_model_info *network, tips_model_info *its) {
    TIPS_TRY(tips__input_describe_normal(&config->its_input, its));
    if (is_guessed(its) && is_said(network)) guess_alike(network, its);
    else if (is_guessed(network) && is_said(its)) guess_alike(its, network);
    return TIPS_OK;
}

static void warn(const char *of, const char *path, const tips_model_info *info, const char *prefix,
                 const tips_train_watch *watch) {
    char text[TIPS_WARNING_SIZE], line[TIPS_WARNING_SIZE + TIPS_PATH_SIZE];
    const tips_input_facts facts = tips__model_input(info);
    if (!tips__input_guess(&facts, prefix, text)) return;
    snprintf(line, sizeof line, "warning: %s %s: %s", of, path, text);
    watch->note(watch->context, line);
}

void tips__train_warn_of_guesses(const train_setup *s, const tips_train_watch *watch) {
    if (!watch || !watch->note) return;
    if (s->config->init) warn("--init", s->config->init, &s->info, "--", watch);
    if (s->teacher) warn("--teacher", s->config->teacher, tips__teacher_info(s->teacher), "--teacher-", watch);
}
