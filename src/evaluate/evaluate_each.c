/* Counts of single pictures as shares, for comparing models. */
#include "evaluate/evaluate_parts.h"

static void fill_answers(const eval_session *s, tips_picture_values *v) {
    if (!s->task->number) {
        tips__picture_values_drop(v, 0);
        return;
    }
    for (int i = 0; i < v->images; i++) v->of[0][i] = s->counts.answers[i] == s->counts.labels[i];
}

static void fill_pairs(const eval_session *s, int kind, tips_picture_values *v) {
    const tips_pair_count *pairs = s->counts.pairs[kind];
    const int agree = 1 + 2 * kind, right = agree + 1;
    bool all = !s->config->unshifted;
    for (int i = 0; i < v->images && all; i++) {
        all = pairs[i].pairs > 0;
        if (!all) break;
        v->of[agree][i] = pairs[i].agree / pairs[i].pairs;
        v->of[right][i] = pairs[i].right / pairs[i].pairs;
    }
    if (all) return;
    tips__picture_values_drop(v, agree);
    tips__picture_values_drop(v, right);
}

tips_status tips__eval_each(const eval_session *s, tips_picture_values *out) {
    TIPS_TRY(tips__picture_values_create(s->task->metrics, s->counts.images, out));
    fill_answers(s, out);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) fill_pairs(s, kind, out);
    return TIPS_OK;
}
