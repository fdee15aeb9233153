/* Small sets with boxes for tests, in the layout of each format. Pictures have 40 rows and 60 columns. */
#ifndef TIPS_TESTS_BOX_SETS_H
#define TIPS_TESTS_BOX_SETS_H

#include "data/dataset.h"
#include "support/data_files.h"

enum { BOX_H = 40, BOX_W = 60 };

void box_write_picture(const char *folder, const char *name);
/* An annotation in VOC's XML; `objects` is what stands within, behind the size. */
void box_write_xml(const char *folder, const char *name, const char *objects);
/* "<object>" of a class with a bndbox. */
const char *box_object(const char *class_name, const char *xmin, const char *ymin, const char *xmax, const char *ymax);

/* The split and index of the picture whose name ends so; fails the test if there is none. */
int box_find(const tips_dataset *set, tips_split split, const char *name);
/* Fails unless box `i` of that picture is so. */
void box_expect(tips_dataset *set, tips_split split, const char *name, int i, tips_box wanted);
int box_count(tips_dataset *set, tips_split split, const char *name);
/* Opens a set and reads every picture of it with its boxes. */
tips_status box_read_all(const char *spec, bool skip, int *skipped, int *bad_boxes, int *pictures);

#endif
