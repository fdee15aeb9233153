/* The optimiser of a run, and what it means for the other options. */
#include "train/train_parts.h"

#include "core/fail.h"
#include "core/number.h"

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
