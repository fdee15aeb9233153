/* Small sets with masks for tests, in the layout of each format. Pictures and masks of H x W pixels, made by their
 * number: the picture is of one colour with red = number, and the mask holds what a rule says of each pixel. Files are
 * PGM, PPM or PNG inside, whatever their names say: readers look at the first bytes. */
#ifndef TIPS_TESTS_MASK_SETS_H
#define TIPS_TESTS_MASK_SETS_H

#include "data/dataset.h"
#include "support/data_files.h"

enum { MASK_H = 6, MASK_W = 8, MASK_PIXELS = MASK_H * MASK_W };

/* The number of pixel i in the mask of picture `number`. */
typedef int (*mask_rule)(int number, int i);

void mask_write_picture(const char *folder, const char *name, int number);
/* A PGM of the numbers. */
void mask_write(const char *folder, const char *name, int number, mask_rule rule);
/* A PNG of the numbers with a palette; needs libpng to be read. */
void mask_write_palette(const char *folder, const char *name, int number, mask_rule rule);

/* Opens "format:folder", or the folder alone for a format to be recognised; fails the test if that does not work. */
tips_dataset *mask_open(const char *format, const char *folder, const tips_dataset_options *options);
/* Which picture it is, by its red; fails unless its mask is what the rule says. */
int mask_expect(tips_dataset *set, tips_split split, int index, mask_rule rule);
/* Opens or reads everything of a set; fails unless that fails with these words, and the file's name if not NULL. */
void mask_expect_error(const char *spec, const char *words, const char *file);

#endif
