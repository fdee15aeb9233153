/* What lies in a folder, told by names: for formats that are known by that, and for messages. */
#ifndef TIPS_DATA_FOLDER_CONTENT_H
#define TIPS_DATA_FOLDER_CONTENT_H

#include "data/names.h"

enum { TIPS_ENDING_SIZE = 12 };

/* Files of a folder by their ending. */
typedef struct tips_folder_content {
    int files, pictures, marks;    /* all; by name pictures; .xml, .json, .txt, .csv */
    char ending[TIPS_ENDING_SIZE]; /* the commonest of those that are no pictures, else of all: ".xml"; "" of none */
} tips_folder_content;

/* False if it cannot be read. */
bool tips__folder_content(const char *path, tips_folder_content *out);

/* Whether people call a folder of all pictures so: images, JPEGImages, imgs, ... */
bool tips__is_pictures_folder(const char *name);
/* Whether a folder's own folders are pictures and, beside them, files about them; or only pictures under such a name.
 * They are no classes then. */
bool tips__has_marks_beside(const char *path);
bool tips__has_pictures_alone(const char *path);

#endif
