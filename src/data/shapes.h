/* Generated pictures: shapes of random place, size, angle and colour on random backgrounds. A picture is a pure
 * function of the options, the split and the index. The class of the first object, which no other covers, is the label.
 */
#ifndef TIPS_DATA_SHAPES_H
#define TIPS_DATA_SHAPES_H

#include "data/dataset.h"
#include "image/mark.h"

enum { TIPS_SHAPE_KINDS = 10, TIPS_SHAPES_MOST_OBJECTS = 4 };
extern const char *const tips__shape_names[TIPS_SHAPE_KINDS];

typedef struct tips_shapes_options {
    int size[2]; /* height, width */
    int train, test;
    int classes; /* 2..TIPS_SHAPE_KINDS */
    int objects; /* in a picture */
    int seed;
} tips_shapes_options;

typedef struct tips_scene {
    tips_image image;
    uint8_t *mask; /* (h, w): 0 background, else label + 1 */
    int label;
    int n_boxes; /* objects of which nothing is to be seen have none */
    tips_box boxes[TIPS_SHAPES_MOST_OBJECTS];
} tips_scene;

tips_status tips__shapes_scene(const tips_shapes_options *options, tips_split split, int index,
                               tips_scene *out) TIPS_MUST_CHECK;
void tips__scene_free(tips_scene *scene);

#endif
