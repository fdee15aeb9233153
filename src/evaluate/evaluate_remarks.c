/* Remarks: one function each, which writes a sentence where it applies. */
#include "evaluate/evaluate_remarks.h"

#include <stdio.h>

enum { MUCH = 90, MUCH_MORE = 20 }; /* percent: alike, and more so than the labels are */

static bool interrupted(const tips_model_result *m, char *out) {
    snprintf(out, TIPS_REMARK_SIZE, "Interrupted: %d of %d pictures were evaluated, and all figures are of these.",
             m->images, m->wanted);
    return m->interrupted;
}

static bool alike(const tips_model_result *m, char *out) {
    const tips_frequent *f = &m->frequent;
    snprintf(out, TIPS_REMARK_SIZE,
             "The same answer, '%s', is given to %.2f %% of the pictures, while no answer is right for more than %.2f "
             "%%: who "
             "answers alike to everything is consistent whatever it sees.",
             f->name, f->answer, f->label);
    return f->answer > MUCH && f->answer - f->label > MUCH_MORE; /* not if they are not numbers */
}

static bool learned(const tips_model_result *m, char *out) {
    snprintf(
        out, TIPS_REMARK_SIZE,
        "The model was trained on this data: pictures that it learned from are among those measured, which says little "
        "about others.");
    return m->saw_them;
}

static bool small(const tips_model_result *m, char *out) {
    snprintf(out, TIPS_REMARK_SIZE,
             "The network answers with maps of %dx%d, which were enlarged to the input's %dx%d: logits between the "
             "nearest ones, classes as the nearest.",
             m->small[0], m->small[1], m->size[0], m->size[1]);
    return m->small[0] > 0;
}

bool tips__evaluate_remark(const tips_model_result *m, int i, char out[TIPS_REMARK_SIZE]) {
    static bool (*const remarks[])(const tips_model_result *, char *) = {interrupted, alike, learned, small};
    for (size_t k = 0; k < sizeof remarks / sizeof remarks[0]; k++)
        if (remarks[k](m, out) && i-- == 0) return true;
    return false;
}
