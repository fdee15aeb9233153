/* What the files of a grid share. */
#ifndef TIPS_STUDY_GRID_PARTS_H
#define TIPS_STUDY_GRID_PARTS_H

#include "study/grid.h"

/* The options of the file besides its parts. */
extern const tips_option tips__grid_rows[];

/* "resnet18-cifar10-max-d2-s1-3f9a12bc": what people look for, and a number that follows from every option that is not
 * the default. The same cell has the same name in any grid. */
tips_status tips__cell_name(const tips_train_config *train, char *out, size_t size) TIPS_MUST_CHECK;

#endif
