/* A folder of its own for a test, and files in it. */
#ifndef TIPS_TESTS_TEMPORARY_H
#define TIPS_TESTS_TEMPORARY_H

#include <stddef.h>

enum { TEMPORARY_PATH = 256 };

/* Makes the folder on first use; path_in gives a path in it, in one of a few buffers that are used in turn. */
const char *path_in_temporary(const char *name);
/* Removes the folder and all that is in it. */
void remove_temporary(void);
/* How many files are in it, hidden ones too. */
int count_temporary(void);

void write_file(const char *path, const void *data, size_t bytes);
/* The whole file, terminated; freed with free. */
unsigned char *read_file(const char *path, size_t *bytes);

#endif
