/* A file of labels as YOLO has it: a box a line, "CLASS X Y WIDTH HEIGHT", its middle and size in parts of the
 * picture's; or the outline of a thing, "CLASS X Y X Y X Y...", whose box and area are taken. */
#ifndef TIPS_DATA_YOLO_LABELS_H
#define TIPS_DATA_YOLO_LABELS_H

#include "data/dataset_format.h"

/* Puts the boxes of a file into the source's store, for its last picture. A line that is wrong is an error that names
 * file and line, or a box that is counted. `classes`: how many there are, or 0 if that is not known; `most`: made the
 * largest number met, if that is larger. A file that is not there has no boxes. */
tips_status tips__yolo_labels_read(tips_source *source, const char *path, int classes, int *most) TIPS_MUST_CHECK;

#endif
