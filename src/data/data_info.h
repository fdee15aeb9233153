/* tips data info: what a dataset holds. */
#ifndef TIPS_DATA_DATA_INFO_H
#define TIPS_DATA_DATA_INFO_H

#include "image/image_read.h"

#include <stdbool.h>
#include <tips/status.h>

enum { TIPS_INFO_SPLITS = 3 };

typedef struct tips_data_info_config {
    const char *data; /* SPEC; NULL: the default */
    bool masks;       /* count the pixels of masks, and show masks on the sheet; always where there are no classes */
    bool sheet;       /* make a picture of pictures */
    const char *sheet_file; /* where it will go: refused where that is one of the pictures; may be NULL */
    int limit;              /* training pictures read for the statistics; 0: all */
    int train_limit, classes_limit;
    double val_split;          /* 0: the usual share */
    int val_set, on_bad_image; /* tips_val_set, tips_on_bad_image */
    int seed;
    int threads; /* 0: all cores */
} tips_data_info_config;

typedef struct tips_data_class {
    char *name;
    int counts[TIPS_INFO_SPLITS]; /* train, val, test */
} tips_data_class;

typedef struct tips_data_value {
    char *name;
    uint8_t rgb[3];
    double share; /* of the pixels */
    int pictures; /* in which it occurs */
} tips_data_value;

typedef struct tips_data_info {
    char *path;
    const char *format;
    int classes;
    tips_data_class *rows; /* (classes): pictures by class; none without has_classes */
    bool has_classes;
    int values;             /* of masks, with background; 0 where masks were not read */
    tips_data_value *masks; /* (values + 1): of the pictures that were read; the last is what is ignored */
    int counts[TIPS_INFO_SPLITS];
    bool val_is_test, val_is_own; /* own: the set's own validation data, not held out */
    int channels;
    bool same_size; /* of all pictures that were read */
    int min_size[2], max_size[2];
    double mean_size[2];
    int read; /* training pictures that the sizes and the following are of */
    double mean[3], deviation[3];
    tips_image sheet;     /* no pixels if not asked for */
    int skipped, ignored; /* bad pictures; files that are not pictures */
} tips_data_info;

/* On success the result is the caller's, to be cleared. */
tips_status tips__data_info(const tips_data_info_config *config, tips_data_info *out) TIPS_MUST_CHECK;
tips_status tips__data_info_save_sheet(const tips_data_info *info, const char *path) TIPS_MUST_CHECK;
void tips__data_info_clear(tips_data_info *info);

#endif
