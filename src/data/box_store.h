/* Sets of picture files whose boxes are all read when the set is opened. A format adds its pictures, each followed by
 * its boxes, and names these functions in its row. */
#ifndef TIPS_DATA_BOX_STORE_H
#define TIPS_DATA_BOX_STORE_H

#include "data/dataset_format.h"

typedef struct tips_boxed_picture {
    uint64_t name;  /* in the texts of the source; relative to the base unless it begins with '/' */
    uint64_t marks; /* in the texts: the file that its boxes are from */
    int64_t id;
    int size[2]; /* height and width; 0: as its file says */
    int n_boxes;
    size_t first; /* of its boxes */
} tips_boxed_picture;

typedef struct tips_box_store {
    char base[TIPS_PATH_SIZE]; /* folder that names are relative to */
    bool is_relative;          /* edges are parts of the height and width, and areas of their product */
    tips_boxed_picture *pictures;
    int count, room;
    tips_box *boxes;
    size_t n_boxes, box_room;
} tips_box_store;

/* Makes `own` an empty store and says that there are boxes alone. */
tips_status tips__box_store_create(tips_source *source, const char *base, tips_box_store **out) TIPS_MUST_CHECK;
/* Adds a picture, if its file is there; if not, it is an error or is counted, and `added` is false. `name` and `marks`
 * are relative to the base unless they begin with '/'. `id`: what COCO calls it, or -1 for its number. */
tips_status tips__box_store_add(tips_source *source, tips_split split, const char *name, const char *marks, int64_t id,
                                const int size[2], bool *added) TIPS_MUST_CHECK;
/* Adds a box to the last picture. */
tips_status tips__box_store_put(tips_source *source, const tips_box *box) TIPS_MUST_CHECK;
/* A picture that is listed twice in a split, in `list`, is an error or is left out and counted. */
tips_status tips__box_store_refuse_twins(tips_source *source, tips_split split, const char *list) TIPS_MUST_CHECK;

/* What is wrong with a box on a picture of that height and width, or NULL; 0 where the size is not known. */
const char *tips__box_fault(const tips_box *box, const double size[2]);
/* After a failure: passes it on, or counts a box where bad ones are skipped. */
tips_status tips__bad_box(tips_source *source, tips_status status) TIPS_MUST_CHECK;
/* The same for a whole picture. */
tips_status tips__bad_picture(tips_source *source, tips_status status) TIPS_MUST_CHECK;

/* For the row of the format. */
tips_status tips__boxed_read(const tips_source *source, const tips_item *item, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__boxed_annotate(const tips_source *source, const tips_item *item, unsigned wanted,
                                 tips_annotation *out) TIPS_MUST_CHECK;
void tips__boxed_name(const tips_source *source, const tips_item *item, char *out, size_t size);
void tips__boxed_mark_name(const tips_source *source, const tips_item *item, char *out, size_t size);
int64_t tips__boxed_id(const tips_source *source, const tips_item *item);
void tips__boxed_close(tips_source *source);

#endif
