/* Splits: first the classes are limited, then validation data are found or held out, then training data are limited.
 * What is held out depends on the seed and the share alone, not on the limit of the training data, and is shared out
 * among the classes. */
#include "data/dataset_splits.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/hold_out.h"
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

static int held_out_of(const tips_dataset_options *o, const tips_source *source) {
    const int count = source->splits[TIPS_SPLIT_TRAIN].count;
    if (source->splits[TIPS_SPLIT_VAL].count > 0) return 0;
    const int wanted = (int)lround((o->val_split > 0 ? o->val_split : usual_share) * count);
    return wanted < 1 ? 1 : wanted > count - 1 ? count - 1 : wanted;
}

static tips_status take_held_out(tips_source *source, const bool *is_held, int held) {
    const tips_items *train = &source->splits[TIPS_SPLIT_TRAIN];
    tips_items *val = &source->splits[TIPS_SPLIT_VAL];
    if (held == 0) return TIPS_OK;
    TIPS_TRY(copy_items(train->rows, held, val));
    val->count = 0;
    for (int i = 0; i < train->count; i++)
        if (is_held[i]) val->rows[val->count++] = train->rows[i];
    source->holds_out = true;
    return TIPS_OK;
}

/* Of those that are not held out, the first `used` of the order. */
static void keep_used(tips_source *source, const int *order, bool *is_held, int used) {
    tips_items *train = &source->splits[TIPS_SPLIT_TRAIN];
    int kept = 0;
    for (int i = 0; i < train->count; i++)
        if (!is_held[order[i]]) is_held[order[i]] = used-- <= 0;
    for (int i = 0; i < train->count; i++)
        if (!is_held[i]) train->rows[kept++] = train->rows[i];
    train->count = kept;
}

/* Pictures keep the order of the files in both parts. */
static tips_status deal(const tips_dataset_options *o, tips_source *source, int wanted, int *order, bool *is_held) {
    const tips_items *train = &source->splits[TIPS_SPLIT_TRAIN];
    int held;
    tips__permutation((tips_rng){o->seed, STREAM_SPLIT}, train->count, order);
    TIPS_TRY(tips__hold_out(train, source->classes.count, order, wanted, is_held, &held));
    TIPS_TRY(take_held_out(source, is_held, held));
    const int rest = train->count - held;
    keep_used(source, order, is_held, o->train_limit > 0 && o->train_limit < rest ? o->train_limit : rest);
    return TIPS_OK;
}

static tips_status divide_train(const tips_dataset_options *o, tips_source *source) {
    const int count = source->splits[TIPS_SPLIT_TRAIN].count, wanted = held_out_of(o, source);
    int *order;
    bool *is_held = NULL;
    if (wanted == 0 && (o->train_limit == 0 || o->train_limit >= count)) return TIPS_OK;
    TIPS_TRY(tips__new(&order, (size_t)count * sizeof *order, "an order"));
    tips_status status = tips__new(&is_held, (size_t)count * sizeof *is_held, "a choice of pictures");
    if (status == TIPS_OK) status = deal(o, source, wanted, order, is_held);
    tips__free(is_held);
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
    source->is_whole = true;
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
