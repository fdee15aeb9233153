/* Consistency and fidelity: answers in, shares out. */
#include "metric/consistency.h"

#include "core/fail.h"
#include "core/memory.h"

tips_pair_count tips__count_pairs(const int *answers, int views, bool sequence, int label) {
    tips_pair_count count = {0};
    for (int first = 0; first + 1 < views; first += sequence ? 1 : 2) {
        const bool agree = answers[first] == answers[first + 1];
        count.pairs++;
        count.agree += agree;
        count.right += agree && answers[first] == label;
    }
    return count;
}

static bool has_one_pair_each(const tips_pair_count *pictures, int count) {
    for (int i = 0; i < count; i++)
        if (pictures[i].pairs != 1) return false;
    return true;
}

static void by_wilson(const tips_pair_count *pictures, int count, tips_figure *consistency, tips_figure *fidelity) {
    int64_t agree = 0, right = 0;
    for (int i = 0; i < count; i++) agree += pictures[i].agree, right += pictures[i].right;
    *consistency = tips__wilson(agree, count);
    *fidelity = tips__wilson(right, count);
}

tips_status tips__consistency(const tips_pair_count *pictures, int count, uint64_t seed, tips_figure *consistency,
                              tips_figure *fidelity) {
    if (has_one_pair_each(pictures, count)) {
        by_wilson(pictures, count, consistency, fidelity);
        return TIPS_OK;
    }
    int64_t *columns; /* (3, count): agree, right, pairs */
    tips_figure figures[2];
    TIPS_TRY(tips__new(&columns, 3 * (size_t)count * sizeof *columns, "the counts of a bootstrap"));
    int64_t *agree = columns, *right = agree + count, *pairs = right + count;
    for (int i = 0; i < count; i++) {
        agree[i] = pictures[i].agree;
        right[i] = pictures[i].right;
        pairs[i] = pictures[i].pairs;
    }
    tips_status status = tips__bootstrap(agree, pairs, count, seed, &figures[0]);
    if (status == TIPS_OK) status = tips__bootstrap(right, pairs, count, seed, &figures[1]);
    tips__free(columns);
    if (status != TIPS_OK) return status;
    *consistency = figures[0];
    *fidelity = figures[1];
    return TIPS_OK;
}
