/* An annotation in PASCAL VOC's XML: <annotation> with <size> and <object>s, each with <name>, <difficult> and
 * <bndbox>. Parts of objects, poses and the rest are passed over. Needs expat at build time. */
#ifndef TIPS_DATA_VOC_XML_H
#define TIPS_DATA_VOC_XML_H

#include "data/names.h"

#include <stdint.h>

enum { TIPS_VOC_NAME = 128 };

typedef struct tips_voc_object {
    char name[TIPS_VOC_NAME];
    double bndbox[4]; /* xmin, ymin, xmax, ymax: the first and the last column and row, counted from 1 */
    bool difficult;
    int line;      /* where it begins */
    bool is_whole; /* has a name and four numbers */
} tips_voc_object;

typedef struct tips_voc_file {
    int size[2]; /* height and width; 0 if it does not say */
    tips_voc_object *objects;
    int count, room;
} tips_voc_file;

bool tips__has_xml(void);
/* Failures name the file and the line. Cleared by the caller, after a failure too; `out` may be used again. */
tips_status tips__voc_xml_read(const char *path, tips_voc_file *out) TIPS_MUST_CHECK;
void tips__voc_file_clear(tips_voc_file *file);

#endif
