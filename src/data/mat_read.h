/* Vectors of whole numbers from MATLAB files. */
#ifndef TIPS_DATA_MAT_READ_H
#define TIPS_DATA_MAT_READ_H

#include <tips/status.h>

/* The variable `name` of the file as integers in new memory. */
tips_status tips__mat_read(const char *path, const char *name, int **out, int *count) TIPS_MUST_CHECK;

#endif
