/* The optimiser of a run: where its name comes from, and what it means for the other options. */
#include "train/train_parts.h"

#include "core/fail.h"
#include "core/number.h"

/* Texts are borrowed: one that is not the default's own was given. */
tips_status tips__train_find_optimizer(const tips_train_config *given, const tips_option *table,
                                       const tips_train_sources *sources, tips_optimizer_spec *out) {
    tips_option row = {0};
    (void)tips__option_find(table, "optimizer", &row);
    const char *usual = row.fallback, *text = given->optimizer;
    if (text == usual) text = tips__yaml_value(sources->recipe, "optimizer");
    if (!text) text = tips__settings_find(&sources->checkpoint, "optimizer");
    return tips__optimizer_parse(text ? text : usual, out);
}

static tips_status set(const tips_option *table, const char *name, const char *value, void *config) {
    tips_option row;
    return tips__option_find(table, name, &row) ? tips__option_set(&row, config, value, name) : TIPS_OK;
}

tips_status tips__train_usual_rates(const tips_optimizer *optimizer, const tips_option *table, void *config) {
    TIPS_TRY(set(table, "lr", optimizer->lr, config));
    return set(table, "weight-decay", optimizer->weight_decay, config);
}

tips_status tips__train_defaults(const char *optimizer, tips_train_config *config) {
    tips_optimizer_spec spec;
    TIPS_TRY(tips__options_defaults(tips__train_rows, config));
    if (!optimizer) return TIPS_OK;
    TIPS_TRY(tips__optimizer_parse(optimizer, &spec));
    return tips__train_usual_rates(spec.optimizer, tips__train_rows, config);
}

/* The default is nobody's choice, and recipes for SGD say it. */
static tips_status check_momentum(const tips_train_config *config, const tips_optimizer *optimizer) {
    tips_train_config usual;
    char number[TIPS_NUMBER_SIZE];
    if (!optimizer->momentum) return TIPS_OK;
    TIPS_TRY(tips__options_defaults(tips__train_rows, &usual));
    if (config->momentum == usual.momentum) return TIPS_OK;
    tips__number_format(config->momentum, number, sizeof number);
    TIPS_FAIL(TIPS_INVALID, "--momentum %s is not for %s, which has %s in its place: write --optimizer %s:%s=%s",
              number, optimizer->name, optimizer->momentum, optimizer->name, optimizer->momentum, number);
}

tips_status tips__train_optimizer(const tips_train_config *config, tips_optimizer_spec *out) {
    tips_optimizer_spec spec;
    TIPS_TRY(tips__optimizer_parse(config->optimizer, &spec));
    TIPS_TRY(check_momentum(config, spec.optimizer));
    *out = spec;
    return TIPS_OK;
}
