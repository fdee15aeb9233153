/* none: convolutions with a bias, and nothing behind them. */
#include "norm/norm.h"

static const tips_option options[] = {{.type = TIPS_OPT_END}};

const tips_norm TIPS_ROW(tips__norm_none) = {
    .name = "none", .brief = "no norm; convolutions have a bias", .options = options, .wants_bias = true};
