/* What a dataset format is: a row of datasets.def. It fills a tips_source with what is on disk; limits and held-out
 * data are the same for all formats and live in dataset.c. */
#ifndef TIPS_DATA_DATASET_FORMAT_H
#define TIPS_DATA_DATASET_FORMAT_H

#include "core/option.h"
#include "data/dataset.h"
#include "data/names.h"
#include "image/colours.h"

typedef struct tips_item {
    uint64_t where; /* the format's own: a record, or the place of a file name */
    int32_t label;
    int32_t origin; /* the tips_split it has on disk */
} tips_item;

typedef struct tips_items {
    tips_item *rows;
    int count, room;
} tips_items;

typedef struct tips_dataset_format tips_dataset_format;

typedef struct tips_source {
    const tips_dataset_format *format;
    const char *path;     /* borrowed from the dataset; what follows "shapes:" for the generator */
    const char *settings; /* borrowed: "key=value,..." that stood before the path, for formats with options, or "" */
    bool whole;           /* see tips_dataset_options */
    bool is_whole;        /* and it was: all of it is test data; not for the format to set */
    bool holds_out;       /* validation data were held out of the training data; not for the format to set */
    bool skip_bad;        /* what is wrong with single pictures is counted instead of being an error */
    int skipped;          /* pictures left out so far */
    int bad_boxes;        /* boxes left out so far */
    int ignored;          /* files that are not pictures */
    tips_names classes;
    int64_t *class_ids;   /* (classes): what COCO calls them; NULL: their numbers from 1 on */
    int classes_on_disk;  /* before they were limited; not for the format to set */
    unsigned annotates;   /* TIPS_ANNOTATES_*: classes, unless open says more */
    bool no_background;   /* of masks: see tips_annotation */
    tips_colours colours; /* of the values of masks; VOC's, unless open says others */
    int channels;         /* 1 or 3 */
    int height, width;    /* 0 where pictures differ */
    tips_items splits[TIPS_SPLITS];
    char *texts; /* file names relative to `path`, for formats made of files */
    size_t texts_size, texts_room;
    void *own; /* the format's, freed by its close */
} tips_source;

struct tips_dataset_format {
    const char *name;
    const char *brief;          /* one line without a full stop */
    unsigned marks;             /* TIPS_ANNOTATES_MASK and _BOXES: what its sets have besides or instead of classes */
    const tips_option *options; /* what may stand before the path, "key=value,": closed by TIPS_OPT_END; may be NULL */
    /* Whether the files at `path` are of this format; NULL where there are no files. */
    bool (*recognise)(const char *path);
    /* Fills the source; on failure the caller closes it. */
    tips_status (*open)(const char *path, tips_source *source);
    tips_status (*read)(const tips_source *source, const tips_item *item, tips_image *out);
    /* Fills in size, and mask and boxes if wanted; on failure the caller clears them. NULL where there are none. */
    tips_status (*annotate)(const tips_source *source, const tips_item *item, unsigned wanted, tips_annotation *out);
    void (*item_name)(const tips_source *source, const tips_item *item, char *out, size_t size);
    /* The file that the mask or boxes are from; NULL where there is none. */
    void (*mark_name)(const tips_source *source, const tips_item *item, char *out, size_t size);
    int64_t (*picture_id)(const tips_source *source, const tips_item *item); /* may be NULL */
    void (*close)(tips_source *source);                                      /* may be NULL */
};

extern const tips_dataset_format *const tips__dataset_formats[]; /* closed by NULL */

/* Adds a picture. A label out of range is an error that names `file` and the picture's number in it, or is counted. */
tips_status tips__source_add(tips_source *source, tips_split split, uint64_t where, int label, const char *file,
                             int number) TIPS_MUST_CHECK;
/* An error if there are no training pictures, or a class has none, unless bad ones are skipped. */
tips_status tips__source_check_classes(const tips_source *source) TIPS_MUST_CHECK;
/* The lines of `folder`/`file` as class names if it is there; false if not. */
tips_status tips__source_class_file(tips_source *source, const char *folder, const char *file,
                                    bool *found) TIPS_MUST_CHECK;
/* `count` classes called by their numbers, from `first` on. */
tips_status tips__source_number_classes(tips_source *source, int first, int count) TIPS_MUST_CHECK;
void tips__source_clear(tips_source *source);

/* For formats that are made of picture files: adding one by its name relative to the path (`must_exist`: a missing one
 * is an error or is counted), reading it, naming it, and looking at some of them for channels and size. */
tips_status tips__source_add_file(tips_source *source, tips_split split, const char *name, int label,
                                  bool must_exist) TIPS_MUST_CHECK;
/* Keeps a name among the texts. */
tips_status tips__source_keep_text(tips_source *source, const char *text, uint64_t *where) TIPS_MUST_CHECK;
/* The same with the file of its marks; both must be there. */
tips_status tips__source_add_marked(tips_source *source, tips_split split, const char *name,
                                    const char *marks) TIPS_MUST_CHECK;
/* The name of that file, relative to the path. */
const char *tips__source_marks(const tips_source *source, const tips_item *item);
tips_status tips__source_read_file(const tips_source *source, const tips_item *item, tips_image *out) TIPS_MUST_CHECK;
void tips__source_file_name(const tips_source *source, const tips_item *item, char *out, size_t size);
tips_status tips__source_probe(tips_source *source) TIPS_MUST_CHECK;

/* Of an open dataset: whether a failed read is one to skip, counting it if so (once a picture; returns the status), and
 * what its source says. */
bool tips__dataset_may_skip(const tips_dataset *set, tips_status status);
tips_status tips__dataset_judge(tips_dataset *set, tips_split split, int index, tips_status status);
const tips_source *tips__dataset_source(const tips_dataset *set);
const tips_item *tips__dataset_item(const tips_dataset *set, tips_split split, int index);
/* The same for an index that may be out of range. */
tips_status tips__dataset_find(const tips_dataset *set, tips_split split, int index,
                               const tips_item **out) TIPS_MUST_CHECK;

#endif
