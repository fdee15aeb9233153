/* Remarks and warnings: one function and one row each. */
#include "evaluate/evaluate_remarks.h"

#include <stdio.h>
#include <string.h>

enum { MUCH = 90, MUCH_MORE = 20 }; /* percent: alike, and more so than the labels are */

static bool interrupted(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE, "Interrupted: %d of %d pictures were evaluated, and all figures are of these.",
             m->images, m->wanted);
    return m->interrupted;
}

static bool alike(const void *result, char *out) {
    const tips_model_result *m = result;
    const tips_frequent *f = &m->frequent;
    snprintf(out, TIPS_REMARK_SIZE,
             "The same answer, '%s', is given to %.2f %% of the pictures, while no answer is right for more than %.2f "
             "%%: who "
             "answers alike to everything is consistent whatever it sees.",
             f->name, f->answer, f->label);
    return f->answer > MUCH && f->answer - f->label > MUCH_MORE; /* not if they are not numbers */
}

static bool learned(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(
        out, TIPS_REMARK_SIZE,
        "The model was trained on this data: pictures that it learned from are among those measured, which says little "
        "about others.");
    return m->saw_them;
}

static bool small(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE,
             "The network answers with maps of %dx%d, which were enlarged to the input's %dx%d: logits between the "
             "nearest ones, classes as the nearest.",
             m->small[0], m->small[1], m->size[0], m->size[1]);
    return m->small[0] > 0;
}

static bool narrow(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE,
             "The model is stored in %s, computed in float32: where it runs in %s, answers may differ.",
             m->stored ? m->stored : "", m->stored ? m->stored : "");
    return m->stored != NULL;
}

static bool guessed(const void *result, char *out) {
    const tips_model_result *m = result;
    return tips__input_guess(&m->input, "--", out);
}

const tips_warning_rule tips__evaluate_rules[] = {
    {"interrupted", true, interrupted},
    {"guessed_input", false, guessed},
    {"constant_answers", false, alike},
    {"own_training_pictures", false, learned},
    {"enlarged_maps", true, small},
    {"stored_type", true, narrow},
    {.name = NULL},
};

bool tips__evaluate_remark(const tips_model_result *m, int i, char out[TIPS_REMARK_SIZE]) {
    tips_warning remark;
    if (!tips__remark_at(tips__evaluate_rules, m, i, &remark)) return false;
    memcpy(out, remark.text, sizeof remark.text);
    return true;
}
