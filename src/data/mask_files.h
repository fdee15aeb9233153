/* Sets that are made of picture files and a file for the mask of each: what the numbers or colours in those files mean.
 * A format fills in a code, adds pairs of files and names these functions in its row. */
#ifndef TIPS_DATA_MASK_FILES_H
#define TIPS_DATA_MASK_FILES_H

#include "data/dataset_format.h"

enum { TIPS_MASK_NO_LABEL = -1, TIPS_MASK_NUMBERS = 256, TIPS_MASK_THRESHOLD = 128 };

typedef struct tips_mask_code {
    int16_t values[TIPS_MASK_NUMBERS]; /* what a number in the file is in the mask, or TIPS_MASK_NO_LABEL */
    bool is_binary;                    /* instead: brightness from TIPS_MASK_THRESHOLD on is class 0, else background */
    bool has_colours;                  /* files without numbers are taken by the colours of the source */
} tips_mask_code;

/* A class of a table in a format's file. */
typedef struct tips_mask_class {
    const char *name;
    uint8_t rgb[3];
} tips_mask_class;

/* Makes `own` a code in which no number is a label but 255, which is ignored, and says that there are masks alone. */
tips_status tips__mask_code_create(tips_source *source, tips_mask_code **out) TIPS_MUST_CHECK;
void tips__mask_code_close(tips_source *source);
/* Adds `count` classes; their colours become those of the mask. The numbers in the files are those of the mask. */
tips_status tips__mask_classes(tips_source *source, const tips_mask_class *classes, int count) TIPS_MUST_CHECK;
/* A set of one class on background, told apart by brightness. */
tips_status tips__mask_binary(tips_source *source, const char *name) TIPS_MUST_CHECK;

/* From the file of a mask to the mask; failures name the file. */
tips_status tips__mask_file_read(const tips_source *source, const char *path, tips_image *out) TIPS_MUST_CHECK;

/* For the row of the format. */
tips_status tips__mask_file_annotate(const tips_source *source, const tips_item *item, unsigned wanted,
                                     tips_annotation *out) TIPS_MUST_CHECK;
void tips__mask_file_name(const tips_source *source, const tips_item *item, char *out, size_t size);

#endif
