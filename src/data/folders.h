/* Folders of class folders, shared by the formats that have some. */
#ifndef TIPS_DATA_FOLDERS_H
#define TIPS_DATA_FOLDERS_H

#include "data/dataset_format.h"

extern const tips_dataset_format tips__format_folders;
/* What folders of validation data are called, closed by NULL. */
extern const char *const tips__val_folders[];

/* The sorted names of the folders in path/`name` become the classes; "" for the path itself. */
tips_status tips__folders_classes(tips_source *source, const char *name) TIPS_MUST_CHECK;
/* Adds the pictures below path/`name`/CLASS for every class folder there; `known` of them are classes, and the first
 * that is not, if any, is copied to `unknown` (256 bytes). */
tips_status tips__folders_add(tips_source *source, const char *name, tips_split split, int *known,
                              char *unknown) TIPS_MUST_CHECK;
/* The folder of a class that has another name than its folder ("n01440764" of "tench"), or NULL. */
const char *tips__class_folder(const char *name);
/* Whether a file's name ends as those of pictures do. */
bool tips__is_picture_name(const char *name);

#endif
