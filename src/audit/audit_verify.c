/* The verifier's part of an audit: the network as it was evaluated, on the first of the pictures. */
#include "audit/audit.h"

#include "core/fail.h"
#include "core/memory.h"
#include "model/open_model.h"
#include "verify/verify.h"

#include <string.h>

static tips_split split_of(const tips_evaluate_result *r) {
    int split = 0;
    while (strcmp(tips__split_names[split], r->split) != 0) split++;
    return (tips_split)split;
}

static tips_status find_picture(const tips_audit_config *c, tips_dataset *set, tips_audit_result *r, tips_image *out) {
    const tips_split split = split_of(&r->evaluation);
    const int all = tips__dataset_count(set, split);
    tips_status status = TIPS_OK;
    for (int i = 0, label; i < all; i++) {
        tips__dataset_item_name(set, split, i, r->picture, sizeof r->picture);
        status = tips__dataset_read(set, split, i, out, &label);
        if (status == TIPS_OK || !c->evaluate.skip_bad || (status != TIPS_IO && status != TIPS_FORMAT)) break;
    }
    return status;
}

static tips_status read_picture(const tips_audit_config *c, tips_audit_result *r, tips_image *out) {
    const tips_evaluate_config *e = &c->evaluate;
    const tips_dataset_options options = {.classes_limit = e->classes_limit,
                                          .val_split = e->val_split,
                                          .whole = true,
                                          .skip_bad = e->skip_bad,
                                          .seed = (uint64_t)e->network.seed};
    tips_dataset *set;
    TIPS_TRY(tips__dataset_open(e->data, &options, &set));
    const tips_status status = find_picture(c, set, r, out);
    tips__dataset_close(set);
    return status;
}

static tips_status make_input(const tips_audit_config *c, const tips_model_info *info, tips_audit_result *r,
                              float **out) {
    const tips_preprocess p = tips__model_preprocess(info);
    const size_t elements = (size_t)p.channels * (size_t)p.height * (size_t)p.width;
    tips_image picture;
    TIPS_TRY(read_picture(c, r, &picture));
    tips_status status = tips__new(out, elements * sizeof **out, "the input");
    if (status == TIPS_OK) status = tips__preprocess(&p, &picture, 0, 0, false, *out);
    tips__image_free(&picture);
    return status;
}

static tips_status verify(const tips_audit_config *c, const tips_loaded_model *m, tips_audit_result *r) {
    const tips_verify_config config = {.model = c->evaluate.network, .shifts = c->shifts, .engine = TIPS_VERIFY_DNNL};
    float *input = NULL;
    tips_status status = make_input(c, &m->info, r, &input);
    if (status == TIPS_OK) status = tips__verify_model(&config, m, input, &r->verification);
    tips__free(input);
    return status;
}

tips_status tips__audit_verify(const tips_audit_config *c, tips_audit_result *r) {
    const tips_evaluate_config *e = &c->evaluate;
    tips_loaded_model model;
    TIPS_TRY(tips__open_model_with(e->models, &e->network, &e->input, &model));
    const tips_status status = verify(c, &model, r);
    tips__loaded_model_destroy(&model);
    return status;
}
