/* Folders of pictures beside folders of masks: a mask has the name of its picture, whatever the endings. */
#ifndef TIPS_DATA_MASK_FOLDERS_H
#define TIPS_DATA_MASK_FOLDERS_H

#include "data/dataset_format.h"

/* Adds the pictures of a folder with their masks; both are relative to the source's path. A picture without a mask, a
 * mask without a picture and two masks of one name are errors, or counted. */
tips_status tips__mask_folders_add(tips_source *source, tips_split split, const char *pictures,
                                   const char *masks) TIPS_MUST_CHECK;
/* images/ and masks/ in the path, all of it training data, or in train/, val/ (valid/, validation/) and test/. */
tips_status tips__mask_folders_add_splits(tips_source *source) TIPS_MUST_CHECK;

/* Whether a path holds images/ and masks/, or train/ does, and a picture has a mask; the ending of the first such mask
 * is copied to `ending`: ".jpg". */
bool tips__mask_folders_find(const char *path, char ending[16]);

#endif
