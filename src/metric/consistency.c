/* Consistency and fidelity: agreement in, shares out. */
#include "metric/consistency.h"

#include "core/fail.h"
#include "core/memory.h"

tips_agreement tips__compare_classes(const void *context, int a, int b) {
    const tips_class_answers *c = context;
    const bool same = c->answers[a] == c->answers[b];
    return (tips_agreement){same, same && c->answers[a] == c->label};
}

tips_pair_count tips__count_pairs(const tips_answers *answers, int first, int views, bool sequence) {
    tips_pair_count count = {0};
    for (int i = 0; i + 1 < views; i += sequence ? 1 : 2) {
        const tips_agreement one = answers->compare(answers->context, first + i, first + i + 1);
        count.pairs++;
        count.agree += one.agree;
        count.right += one.right;
    }
    return count;
}

static bool has_one_pair_each(const tips_pair_count *pictures, int count) {
    for (int i = 0; i < count; i++)
        if (pictures[i].pairs != 1) return false;
    return true;
}

static void by_proportion(const tips_pair_count *pictures, int count, tips_figure *consistency, tips_figure *fidelity) {
    double agree = 0, right = 0;
    for (int i = 0; i < count; i++) agree += pictures[i].agree, right += pictures[i].right;
    *consistency = tips__proportion((int64_t)agree, count);
    *fidelity = tips__proportion((int64_t)right, count);
}

static tips_status sum_up(const double *some, const double *pairs, int count, bool graded, tips_figure *out) {
    if (graded) return tips__part_of_all(some, pairs, count, out);
    *out = tips__clustered(some, pairs, count);
    return TIPS_OK;
}

tips_status tips__consistency(const tips_pair_count *pictures, int count, bool graded, tips_figure *consistency,
                              tips_figure *fidelity) {
    if (!graded && has_one_pair_each(pictures, count)) {
        by_proportion(pictures, count, consistency, fidelity);
        return TIPS_OK;
    }
    double *columns; /* (3, count): agree, right, pairs */
    TIPS_TRY(tips__new(&columns, 3 * (size_t)count * sizeof *columns, "the counts of pairs"));
    double *agree = columns, *right = agree + count, *pairs = right + count;
    for (int i = 0; i < count; i++) {
        agree[i] = pictures[i].agree;
        right[i] = pictures[i].right;
        pairs[i] = pictures[i].pairs;
    }
    tips_status status = sum_up(agree, pairs, count, graded, consistency);
    if (status == TIPS_OK) status = sum_up(right, pairs, count, graded, fidelity);
    tips__free(columns);
    return status;
}

tips_status tips__agreements(const tips_agreement *pictures, int count, bool graded, tips_figure *consistency,
                             tips_figure *fidelity) {
    tips_pair_count *pairs;
    TIPS_TRY(tips__new(&pairs, (size_t)count * sizeof *pairs, "the counts of pairs"));
    for (int i = 0; i < count; i++) pairs[i] = (tips_pair_count){1, pictures[i].agree, pictures[i].right};
    const tips_status status = tips__consistency(pairs, count, graded, consistency, fidelity);
    tips__free(pairs);
    return status;
}
