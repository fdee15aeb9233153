/* Labelled pictures from files or from a generator, behind one face. One format a file, one line in datasets.def. */
#ifndef TIPS_DATA_DATASET_H
#define TIPS_DATA_DATASET_H

#include <stdbool.h>
#include <stdint.h>
#include <tips/status.h>

#include "data/annotation.h"
#include "image/image_read.h"

typedef enum tips_split { TIPS_SPLIT_TRAIN, TIPS_SPLIT_VAL, TIPS_SPLIT_TEST, TIPS_SPLITS } tips_split;
extern const char *const tips__split_names[]; /* "train", "val", "test", NULL */

/* Choices that options give. */
typedef enum tips_val_set { TIPS_VAL_OWN, TIPS_VAL_TEST } tips_val_set;
extern const char *const tips__val_set_names[]; /* "own", "test", NULL */
typedef enum tips_on_bad_image { TIPS_BAD_STOP, TIPS_BAD_SKIP } tips_on_bad_image;
extern const char *const tips__on_bad_names[]; /* "stop", "skip", NULL */

typedef struct tips_dataset tips_dataset;

typedef struct tips_dataset_options {
    int train_limit;   /* pictures used of train, 0: all; taken by seed, balanced as they come */
    int classes_limit; /* the first classes only, 0: all */
    double val_split;  /* share of train held out by seed where the set has no validation data; 0.1 if 0 */
    bool whole;        /* a set of training pictures alone is for testing, all of it; nothing was trained on it */
    bool val_is_test;  /* the paper's practice: choose on the test set; flagged in every result */
    bool skip_bad;     /* unreadable pictures are skipped and counted instead of being an error */
    uint64_t seed;
} tips_dataset_options;

/* SPEC is a path whose format is recognised, "format:path", "format:key=value,...,path" for formats with options, or
 * "shapes[:key=value,...]". NULL or "": Fashion-MNIST if
 * Debian's package is installed, else shapes. */
tips_status tips__dataset_open(const char *spec, const tips_dataset_options *options,
                               tips_dataset **out) TIPS_MUST_CHECK;
void tips__dataset_close(tips_dataset *set);

const char *tips__dataset_format(const tips_dataset *set);
const char *tips__dataset_path(const tips_dataset *set);
int tips__dataset_classes(const tips_dataset *set);
const char *tips__dataset_class_name(const tips_dataset *set, int label);
char *const *tips__dataset_class_names(const tips_dataset *set);    /* (classes) */
int tips__dataset_count(const tips_dataset *set, tips_split split); /* test data may be absent: 0 */
int tips__dataset_channels(const tips_dataset *set);                /* 1 or 3 */
/* The size all pictures share, or false where they differ. Of picture files some are looked at, not all; the same goes
 * for the channels. */
bool tips__dataset_size(const tips_dataset *set, int *height, int *width);
/* Whether a set of training pictures alone is for testing, all of it (`whole`); whether its validation data were held
 * out of the training data, by seed. */
bool tips__dataset_is_whole(const tips_dataset *set);
bool tips__dataset_holds_out(const tips_dataset *set);
/* Whether the validation data is the test set. */
bool tips__dataset_val_is_test(const tips_dataset *set);
/* Pictures skipped so far as unreadable. */
int tips__dataset_skipped(const tips_dataset *set);

/* Picture `index` of a split (freed by tips__image_free) and its label. Safe from several threads. Errors name the
 * file. With skip_bad a bad picture is an error here too (TIPS_FORMAT or TIPS_IO), counted once, for the caller to pass
 * over. */
tips_status tips__dataset_read(tips_dataset *set, tips_split split, int index, tips_image *picture,
                               int *label) TIPS_MUST_CHECK;

/* What the pictures of a set come with, TIPS_ANNOTATES_*; an error that names what is wanted and not there. */
unsigned tips__dataset_annotates(const tips_dataset *set);
tips_status tips__dataset_require(const tips_dataset *set, unsigned wanted) TIPS_MUST_CHECK;
/* The values of a mask but TIPS_MASK_IGNORE: background, if there is one, and the classes after it. Their names, and
 * the colours they are shown in (red, green, blue); TIPS_MASK_IGNORE has both too. */
int tips__dataset_mask_classes(const tips_dataset *set);
bool tips__dataset_has_background(const tips_dataset *set);
const char *tips__dataset_mask_class_name(const tips_dataset *set, int value);
const uint8_t *tips__dataset_mask_colour(const tips_dataset *set, int value);
const tips_colours *tips__dataset_mask_colours(const tips_dataset *set); /* 256 of them */
/* What is wanted of the annotation of picture `index`; cleared by tips__annotation_clear. Classes beyond classes_limit
 * are background, or ignored where there is none. Threads and bad ones as for tips__dataset_read. */
tips_status tips__dataset_annotate(tips_dataset *set, tips_split split, int index, unsigned wanted,
                                   tips_annotation *out) TIPS_MUST_CHECK;
/* Both, and they agree on the size. */
tips_status tips__dataset_read_annotated(tips_dataset *set, tips_split split, int index, unsigned wanted,
                                         tips_image *picture, tips_annotation *out) TIPS_MUST_CHECK;

/* What they are called in files of COCO's form: the set's own ids, or numbers from 1 on. */
int64_t tips__dataset_class_id(const tips_dataset *set, int label);
int64_t tips__dataset_picture_id(const tips_dataset *set, tips_split split, int index);
/* Boxes left out as bad. */
int tips__dataset_bad_boxes(const tips_dataset *set);

/* What it is called in messages: a file name, or "train[17]". */
void tips__dataset_item_name(const tips_dataset *set, tips_split split, int index, char *out, size_t size);

#endif
