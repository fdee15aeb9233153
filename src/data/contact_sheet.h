/* Many pictures of a dataset on one: a row for each class. */
#ifndef TIPS_DATA_CONTACT_SHEET_H
#define TIPS_DATA_CONTACT_SHEET_H

#include "data/dataset.h"

/* `columns` pictures of each of the first `rows` classes, at most. Bad pictures leave their place empty. */
tips_status tips__contact_sheet(tips_dataset *set, tips_split split, int rows, int columns,
                                tips_image *out) TIPS_MUST_CHECK;
/* The same with masks: pictures in which a class of the mask occurs, and beside each of them the picture with the
 * colours of its mask over it. Background and what is ignored stay as they are. Several rows for each of few classes.
 */
tips_status tips__mask_sheet(tips_dataset *set, tips_split split, int rows, int columns,
                             tips_image *out) TIPS_MUST_CHECK;
/* Pictures with boxes on them: those in which a class occurs in its row, whole, each box in the colour of its class and
 * with its name. */
tips_status tips__box_sheet(tips_dataset *set, tips_split split, int rows, int columns,
                            tips_image *out) TIPS_MUST_CHECK;

#endif
