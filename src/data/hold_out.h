/* How many pictures of each class are held out for validation. */
#ifndef TIPS_DATA_HOLD_OUT_H
#define TIPS_DATA_HOLD_OUT_H

#include "data/dataset_format.h"

/* Shares out `total` pictures among the classes by their size, fractions by the largest remainder and equal ones by who
 * comes first in `order` (the indices of `items`). Every class keeps a picture, so the sum may be less than `total`.
 * Sets `is_held` (items->count) and the sum. */
tips_status tips__hold_out(const tips_items *items, int classes, const int *order, int total, bool *is_held,
                           int *held) TIPS_MUST_CHECK;

#endif
