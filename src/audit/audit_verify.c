/* The verifier's part of an audit: the network as it was evaluated, on the first of the pictures. */
#include "audit/audit.h"

#include "core/fail.h"
#include "core/memory.h"
#include "verify/verify.h"



static tips_status find_picture(const tips_audit_config *c, tips_dataset *set, tips_audit_result *r, tips_image *out) {
    const tips_split split = r->evaluation.split_used;
    const int all = tips__dataset_count(set, split);
    const bool skips = c->evaluate.on_bad_image == TIPS_BAD_SKIP;
    tips_status status = TIPS_OK;
    for (int i = 0, label; i < all; i++) {
        tips__dataset_item_name(set, split, i, r->picture, sizeof r->picture);
        status = tips__dataset_read(set, split, i, out, &label);
        if (!skips || (status != TIPS_IO && status != TIPS_FORMAT)) break;
    }
    return status;
}

static tips_status make_input(const tips_audit_config *c, tips_dataset *set, const tips_preprocess *p,
                              tips_audit_result *r, float **out) {
    const size_t elements = (size_t)p->channels * (size_t)p->height * (size_t)p->width;
    tips_image picture;
    TIPS_TRY(find_picture(c, set, r, &picture));
    tips_status status = tips__new(out, elements * sizeof **out, "the input");
    if (status == TIPS_OK) status = tips__preprocess(p, &picture, 0, 0, false, *out);
    tips__image_free(&picture);
    return status;
}

tips_status tips__audit_verify(const tips_audit_config *c, tips_dataset *set, const tips_loaded_model *model,
                               tips_audit_result *r) {
    const tips_verify_config config = {.model = c->evaluate.network, .shifts = c->shifts, .engine = TIPS_VERIFY_DNNL,
                                       .progress_context = c->evaluate.context, .stop = c->evaluate.stop};
    float *input = NULL;
    tips_status status = make_input(c, set, &model->preprocess, r, &input);
    if (status == TIPS_OK) status = tips__verify_model(&config, model, input, &r->verification);
    tips__free(input);
    return status;
}
