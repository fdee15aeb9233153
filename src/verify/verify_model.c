/* Verifying what a file holds: a whole model, or weights for a network chosen by options. */
#include "verify/verify_parts.h"

#include "core/fail.h"
#include "model/open_model.h"

tips_status tips__verify_subject_load(const tips_verify_config *config, verify_subject *s) {
    tips_loaded_model loaded;
    TIPS_TRY(tips__open_model(config->model_file, &config->model, &config->input, &loaded));
    s->info = loaded.info;
    s->model = loaded.model;
    s->params = loaded.params;
    return TIPS_OK;
}

tips_status tips__verify_subject_weights(const tips_verify_config *config, verify_subject *s) {
    tips_weights_report report;
    return tips__weights_load(config->weights, s->params, TIPS_CLASSIFIER_TAKEN, &report);
}
