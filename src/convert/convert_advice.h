/* Exact, or with the paddings it has: what a network is better served with. */
#ifndef TIPS_CONVERT_CONVERT_ADVICE_H
#define TIPS_CONVERT_CONVERT_ADVICE_H

#include "convert/convert.h"
#include "model/model_file.h"

/* What circular padding alone does to the answers for generated pictures. */
typedef struct tips_convert_advice {
    int pictures, changed; /* answers that become others; of no pictures: nothing was measured */
    double moved;          /* root of the mean square that scores move by, in units of their deviation among classes */
    bool keep;             /* recommended: leave the paddings alone */
} tips_convert_advice;

/* `from` is the original, `options` what it is converted by; the operator does not matter. */
tips_status tips__convert_advise(const tips_loaded_model *from, const tips_convert_options *options,
                                 tips_convert_advice *out) TIPS_MUST_CHECK;

#endif
