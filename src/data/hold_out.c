/* Stratified, by largest remainders: in whole numbers, so that it is the same everywhere. */
#include "data/hold_out.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

typedef struct quota {
    int class, count, held;
    int64_t remainder;
    int first; /* where the first of its pictures is in the order */
} quota;

static void count_pictures(const tips_items *items, const int *order, int classes, quota *quotas) {
    for (int k = 0; k < classes; k++) quotas[k] = (quota){.class = k};
    for (int i = items->count - 1; i >= 0; i--) {
        quota *q = &quotas[items->rows[order[i]].label];
        q->count++;
        q->first = i;
    }
}

static bool has_room(const quota *q) { return q->held < q->count - 1; }

/* The whole parts; gives how many are left to be shared out. */
static int share_out(quota *quotas, int classes, int pictures, int total) {
    int left = total;
    for (int k = 0; k < classes; k++) {
        quota *q = &quotas[k];
        const int64_t product = (int64_t)total * q->count;
        q->held = (int)(product / pictures);
        q->remainder = product % pictures;
        if (q->count > 0 && q->held > q->count - 1) q->held = q->count - 1;
        left -= q->held;
    }
    return left;
}

static int compare(const void *a, const void *b) {
    const quota *p = a, *q = b;
    if (p->remainder != q->remainder) return p->remainder > q->remainder ? -1 : 1;
    if (p->first != q->first) return p->first < q->first ? -1 : 1;
    return p->class - q->class;
}

/* One each, and again while somebody has room. */
static int share_rest(quota *quotas, int classes, int left) {
    qsort(quotas, (size_t)classes, sizeof *quotas, compare);
    for (bool any = true; any && left > 0;) {
        any = false;
        for (int k = 0; k < classes && left > 0; k++) {
            if (!has_room(&quotas[k])) continue;
            quotas[k].held++;
            left--;
            any = true;
        }
    }
    return left;
}

/* Of each class those that come first in the order. */
static void choose(const tips_items *items, const int *order, const quota *quotas, int classes, int *left,
                   bool *is_held) {
    for (int k = 0; k < classes; k++) left[quotas[k].class] = quotas[k].held;
    for (int i = 0; i < items->count; i++) is_held[order[i]] = left[items->rows[order[i]].label]-- > 0;
}

tips_status tips__hold_out(const tips_items *items, int classes, const int *order, int total, bool *is_held,
                           int *held) {
    quota *quotas;
    int *left = NULL;
    TIPS_TRY(tips__new(&quotas, (size_t)classes * sizeof *quotas, "the shares of classes"));
    const tips_status status = tips__new(&left, (size_t)classes * sizeof *left, "the shares of classes");
    if (status == TIPS_OK) {
        count_pictures(items, order, classes, quotas);
        const int rest = share_rest(quotas, classes, share_out(quotas, classes, items->count, total));
        choose(items, order, quotas, classes, left, is_held);
        *held = total - rest;
    }
    tips__free(left);
    tips__free(quotas);
    return status;
}
