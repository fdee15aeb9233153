/* Attacks behind an evaluation, whose figures they go on from. */
#include "attack/attack_json.h"

#include "core/fail.h"
#include "core/memory.h"

static tips_status attack_model(const tips_attack_config *config, tips_dataset *set, const tips_model_result *model,
                                tips_attack_result *out) {
    tips_loaded_model opened;
    TIPS_TRY(tips__evaluate_open_model(&config->evaluate, set, config->evaluate.models, &opened));
    const tips_status status = tips__attack_open(config, set, &opened, &model->figures, out);
    tips__loaded_model_destroy(&opened);
    return status;
}

static tips_status attack_models(const tips_attack_options *options, const tips_evaluate_config *config,
                                 tips_dataset *set, tips_evaluate_result *evaluated, tips_attacked *out) {
    tips_attack_config attack = {.options = options, .evaluate = *config};
    for (int i = 0; i < evaluated->n_models && !evaluated->interrupted; i++) {
        const tips_model_result *model = &evaluated->models[i];
        attack.evaluate.models = model->is_random ? "" : model->name;
        TIPS_TRY(attack_model(&attack, set, model, &out->models[i]));
        evaluated->interrupted = out->models[i].interrupted;
    }
    return TIPS_OK;
}

static void put_fields(const void *more, tips_json *json, int i) {
    tips__attack_put_fields(json, &((const tips_attacked *)more)->models[i]);
}

/* The command that does both again. */
static tips_status note_command(const tips_attack_options *options, tips_evaluate_result *evaluated) {
    tips_text text = {0};
    if (!evaluated->command) return TIPS_OK;
    tips__text_add(&text, evaluated->command);
    tips__attack_flags(&text, options);
    const tips_status status = tips__text_check(&text);
    if (status != TIPS_OK) {
        tips__text_clear(&text);
        return status;
    }
    tips__free(evaluated->command);
    evaluated->command = text.data;
    return TIPS_OK;
}

tips_status tips__attack_evaluated(const tips_attack_options *options, const tips_evaluate_config *config,
                                   tips_evaluate_result *evaluated, tips_attacked *out) {
    tips_attacked attacked = {.count = evaluated->n_models};
    tips_dataset *set;
    *out = (tips_attacked){0};
    if (!tips__attack_is_wanted(options) || evaluated->interrupted) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&attacked.models, (size_t)attacked.count * sizeof *attacked.models, "the results"));
    tips_status status = tips__evaluate_open_data(config, &set);
    if (status == TIPS_OK) {
        status = attack_models(options, config, set, evaluated, &attacked);
        tips__dataset_close(set);
    }
    if (status == TIPS_OK) status = note_command(options, evaluated);
    if (status != TIPS_OK) {
        tips__attacked_free(&attacked);
        return status;
    }
    *out = attacked;
    evaluated->put_more = put_fields;
    evaluated->more = out;
    return TIPS_OK;
}

void tips__attacked_free(tips_attacked *a) {
    for (int i = 0; i < a->count; i++) tips__attack_free(&a->models[i]);
    tips__free(a->models);
    *a = (tips_attacked){0};
}
