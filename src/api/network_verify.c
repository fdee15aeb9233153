/* Verifying a public network with its own parameters. */
#include <tips/verify.h>

#include "api/network_parts.h"
#include "verify/verify.h"

#include "core/fail.h"

#include <stdio.h>

static tips_verdict sum_up(const tips_verify_result *r) {
    tips_verdict v = {.exact = r->exact,
                      .within_tolerance = r->within_tolerance,
                      .invariant = r->answer_changes == 0,
                      .shifts = r->shifts,
                      .answer_changes = r->answer_changes,
                      .layers = r->n_layers,
                      .differing_bits = r->differing_bits,
                      .max_abs_error = r->max_abs_error,
                      .max_rel_error = r->max_rel_error,
                      .margin = r->margin,
                      .reason = r->reason};
    if (r->first_breaking < 0) return v;
    snprintf(v.first_breaking_layer, sizeof v.first_breaking_layer, "%s", r->layers[r->first_breaking].name);
    snprintf(v.advice, sizeof v.advice, "%s", r->advice);
    return v;
}

tips_status tips_network_verify(tips_network *network, const float *image, int shifts, tips_verdict *out) {
    TIPS_NEED(network, "network");
    const int h = network->own.info.config.size[0], w = network->own.info.config.size[1];
    char text[16] = "all";
    tips_verify_config config = {.model = {.size = {h, w}, .seed = network->seed}, .shifts = text};
    tips_verify_result result;
    if (!out) TIPS_FAIL(TIPS_INVALID, "there is no place for the verdict: out is NULL");
    if (shifts < 0 || shifts > h * w)
        TIPS_FAIL(TIPS_RANGE, "%d shifts are out of range; an input of %dx%d has 1..%d, and 0 means all", shifts, h, w,
                  h * w);
    if (shifts > 0) snprintf(text, sizeof text, "%d", shifts);
    if (image) TIPS_TRY(tips__network_check_images(network, image, 1));
    TIPS_TRY(tips__verify_model(&config, &network->own, image, &result));
    *out = sum_up(&result);
    tips__verify_free(&result);
    return TIPS_OK;
}
