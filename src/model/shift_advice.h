/* What helps a network whose answers depend on where the picture lies: said here, for verify, audit, convert and their
 * pages. */
#ifndef TIPS_MODEL_SHIFT_ADVICE_H
#define TIPS_MODEL_SHIFT_ADVICE_H

#include "core/text.h"
#include "model/input_options.h"

/* What cameras that move make are standard shifts: what helps against these, and what exactness is for. */
extern const char tips__advice_moving[], tips__advice_exact[];
/* Of a layer whose padding breaks exactness, behind "... padding at the border does not shift with the input; ". */
extern const char tips__advice_padding[];

/* What can be done to a network that is not as stable as it should be. */
typedef enum tips_remedy {
    TIPS_REMEDY_CONVERT,  /* from elsewhere: operators, then tuning */
    TIPS_REMEDY_TUNE,     /* from elsewhere, converted: tuning */
    TIPS_REMEDY_RETRAIN,  /* of tips, with an operator that is not exact */
    TIPS_REMEDY_AUGMENT,  /* of tips, with an exact operator */
    TIPS_REMEDY_DETECTOR, /* from elsewhere, with boxes: neither converted nor trained here */
    TIPS_REMEDIES
} tips_remedy;

tips_remedy tips__remedy_of(const tips_model_info *info);
/* What helps, in a few sentences that end with the command that comes next: `model`, `input` and `data` are what the
 * user gave. */
void tips__next_step(const tips_model_info *info, const char *model, const tips_input_options *input, const char *data,
                     tips_text *out);

#endif
