/* Splits: first the classes are limited, then validation data are found or held out, then training data are limited.
 * What is held out depends on the seed and the share alone, not on the limit of the training data. */
#include "data/dataset_splits.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/permutation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_SPLIT = 0x7370 };
static const double usual_share = 0.1;

tips_status tips__splits_check(const tips_dataset_options *o) {
    if (o->train_limit < 0 || o->classes_limit < 0)
        TIPS_FAIL(TIPS_RANGE, "limits of data are 0 (none) or more, not %d and %d", o->train_limit, o->classes_limit);
    if (!(o->val_split >= 0 && o->val_split < 1))
        TIPS_FAIL(TIPS_RANGE, "the share held out for validation is at least 0 and below 1, not %g", o->val_split);
    return TIPS_OK;
}

static void limit_classes(int limit, tips_source *source) {
    if (limit == 0 || limit >= source->classes.count) return;
    while (source->classes.count > limit) tips__free(source->classes.rows[--source->classes.count]);
    for (int s = 0; s < TIPS_SPLITS; s++) {
        tips_items *items = &source->splits[s];
        int kept = 0;
        for (int i = 0; i < items->count; i++)
            if (items->rows[i].label < limit) items->rows[kept++] = items->rows[i];
        items->count = kept;
    }
}

static tips_status copy_items(const tips_item *rows, int count, tips_items *out) {
    tips_item *copy;
    TIPS_TRY(tips__new(&copy, (size_t)count * sizeof *copy, "a split"));
    memcpy(copy, rows, (size_t)count * sizeof *copy);
    tips__free(out->rows);
    *out = (tips_items){.rows = copy, .count = count, .room = count};
    return TIPS_OK;
}

/* Which of the training pictures go where, by their place in a shuffled order. */
typedef struct shares {
    int held_out, used; /* the first of the order, and how many after them */
} shares;

static shares divide(const tips_dataset_options *o, const tips_source *source) {
    const int count = source->splits[TIPS_SPLIT_TRAIN].count;
    shares s = {0};
    if (source->splits[TIPS_SPLIT_VAL].count == 0) {
        const double share = o->val_split > 0 ? o->val_split : usual_share;
        s.held_out = (int)lround(share * count);
        if (s.held_out < 1) s.held_out = 1;
        if (s.held_out > count - 1) s.held_out = count - 1;
    }
    s.used = count - s.held_out;
    if (o->train_limit > 0 && o->train_limit < s.used) s.used = o->train_limit;
    return s;
}

/* `place[i]`: where picture i is in the order. Pictures keep the order of the files. */
static tips_status deal(tips_source *source, const int *place, shares s) {
    tips_items *train = &source->splits[TIPS_SPLIT_TRAIN];
    tips_items held = {0};
    int kept = 0;
    if (s.held_out > 0) TIPS_TRY(copy_items(train->rows, s.held_out, &held));
    held.count = 0;
    for (int i = 0; i < train->count; i++) {
        const tips_item item = train->rows[i];
        if (place[i] < s.held_out) held.rows[held.count++] = item;
        else if (place[i] < s.held_out + s.used) train->rows[kept++] = item;
    }
    train->count = kept;
    if (s.held_out > 0) {
        tips__free(source->splits[TIPS_SPLIT_VAL].rows);
        source->splits[TIPS_SPLIT_VAL] = held;
    }
    return TIPS_OK;
}

static tips_status divide_train(const tips_dataset_options *o, tips_source *source) {
    const int count = source->splits[TIPS_SPLIT_TRAIN].count;
    const shares s = divide(o, source);
    int *order;
    if (s.used == count) return TIPS_OK;
    TIPS_TRY(tips__new(&order, 2 * (size_t)count * sizeof *order, "an order"));
    int *place = order + count;
    tips__permutation((tips_rng){o->seed, STREAM_SPLIT}, count, order);
    for (int i = 0; i < count; i++) place[order[i]] = i;
    const tips_status status = deal(source, place, s);
    tips__free(order);
    return status;
}

static bool only_train(const tips_source *source) {
    return source->splits[TIPS_SPLIT_VAL].count == 0 && source->splits[TIPS_SPLIT_TEST].count == 0;
}

static void make_test(tips_source *source) {
    tips__free(source->splits[TIPS_SPLIT_TEST].rows);
    source->splits[TIPS_SPLIT_TEST] = source->splits[TIPS_SPLIT_TRAIN];
    source->splits[TIPS_SPLIT_TRAIN] = (tips_items){0};
}

tips_status tips__splits_arrange(const tips_dataset_options *o, tips_source *source) {
    const tips_items *train = &source->splits[TIPS_SPLIT_TRAIN], *test = &source->splits[TIPS_SPLIT_TEST];
    limit_classes(o->classes_limit, source);
    if (o->val_is_test && test->count == 0)
        TIPS_FAIL(TIPS_INVALID, "%s: there is no test set to validate on", source->path);
    if (o->val_is_test) TIPS_TRY(copy_items(test->rows, test->count, &source->splits[TIPS_SPLIT_VAL]));
    if (train->count == 0) TIPS_FAIL(TIPS_FORMAT, "%s: there are no training pictures", source->path);
    if (o->whole && only_train(source)) {
        make_test(source);
        return TIPS_OK;
    }
    if (train->count == 1 && source->splits[TIPS_SPLIT_VAL].count == 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: one picture is too few to hold out validation data", source->path);
    return divide_train(o, source);
}
