/* The data.yaml of a YOLO set: where the pictures of each split are, and the names of the classes. Needs libyaml at
 * build time. */
#ifndef TIPS_DATA_YOLO_YAML_H
#define TIPS_DATA_YOLO_YAML_H

#include "data/dataset.h"
#include "data/names.h"

typedef struct tips_yolo_yaml {
    char path[TIPS_PATH_SIZE];      /* "path", or "" */
    tips_names places[TIPS_SPLITS]; /* folders and lists of pictures, as written */
    tips_names names;               /* of the classes, in the order of their numbers */
} tips_yolo_yaml;

/* Failures name the file. Cleared by the caller, after a failure too. */
tips_status tips__yolo_yaml_read(const char *path, tips_yolo_yaml *out) TIPS_MUST_CHECK;
void tips__yolo_yaml_clear(tips_yolo_yaml *yaml);

#endif
