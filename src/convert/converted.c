/* Builds what a conversion describes, and moves the weights over. */
#include "convert/converted.h"

#include "core/fail.h"

#include <string.h>

static tips_status fill(const tips_loaded_model *from, const tips_conversion *conversion, tips_converted *c) {
    TIPS_TRY(tips__params_create(c->model.graph, 1, &c->params));
    return tips__convert_params(conversion, from->params, c->params);
}

tips_status tips__converted_create(const tips_loaded_model *from, const tips_conversion *conversion,
                                   const tips_model_info *info, tips_converted *out) {
    tips_converted c = {.params = NULL};
    TIPS_TRY(tips__model_create(info->arch, &info->config, &info->task, false, &c.model));
    const tips_status status = fill(from, conversion, &c);
    if (status != TIPS_OK) {
        tips__converted_destroy(&c);
        return status;
    }
    c.input.value = c.model.ends.input;
    memcpy(c.input.mean, info->mean, sizeof c.input.mean);
    memcpy(c.input.std, info->std, sizeof c.input.std);
    *out = c;
    return TIPS_OK;
}

void tips__converted_destroy(tips_converted *converted) {
    tips__params_destroy(converted->params);
    tips__model_destroy(&converted->model);
}
