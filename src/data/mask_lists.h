/* Lists of pictures whose masks lie elsewhere: a name a line, as Pascal VOC has them. */
#ifndef TIPS_DATA_MASK_LISTS_H
#define TIPS_DATA_MASK_LISTS_H

#include "data/dataset_format.h"

typedef struct tips_mask_list {
    const char *file;                      /* the list */
    const char *pictures, *picture_ending; /* folder and ending of a picture: "JPEGImages", ".jpg" */
    const char *masks, *mask_ending;
} tips_mask_list;

/* Adds what a list names; all paths are relative to the source's. Of a line the first word counts, without folders and
 * ending. A list without names is an error. */
tips_status tips__mask_list_add(tips_source *source, tips_split split, const tips_mask_list *list) TIPS_MUST_CHECK;

#endif
