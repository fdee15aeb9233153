/* What predictions are to be warned of. */
#include "predict/predict.h"

static bool guessed(const void *result, char *out) {
    const tips_predict_result *r = result;
    return tips__input_guess(&r->input, "--", out);
}

static bool unlikely_boxes(const void *result, char *out) {
    const tips_predict_result *r = result;
    return tips__found_tally_warn(&r->found, out);
}

const tips_warning_rule tips__predict_rules[] = {
    {"guessed_input", false, guessed}, {"unlikely_boxes", false, unlikely_boxes}, {.name = NULL}};
