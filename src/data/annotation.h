/* What is known of a picture besides its pixels. */
#ifndef TIPS_DATA_ANNOTATION_H
#define TIPS_DATA_ANNOTATION_H

#include "image/image_read.h"
#include "image/mark.h"

/* What a class is in a mask: its number, and one more where 0 is background. */
static inline int tips__mask_value(int label, bool no_background) { return label + !no_background; }

enum { TIPS_ANNOTATES_CLASS = 1, TIPS_ANNOTATES_MASK = 2, TIPS_ANNOTATES_BOXES = 4 };

typedef struct tips_annotation {
    unsigned has;       /* TIPS_ANNOTATES_*: which of the following hold */
    int size[2];        /* height and width of the picture; 0 where its class alone was asked for */
    int32_t label;      /* its class */
    tips_image mask;    /* one channel: class k is k + 1, background 0, and what is neither TIPS_MASK_IGNORE */
    bool no_background; /* instead every pixel is of a class, or ignored: class k is k in the mask */
    tips_box *boxes;    /* (n_boxes), in pixels of the picture; class k is k */
    int n_boxes;
} tips_annotation;

void tips__annotation_clear(tips_annotation *annotation);

/* Kinds in words: "classes, masks and boxes". */
void tips__annotates_text(unsigned kinds, char *out, size_t size);

/* An error unless mask and boxes are those of a picture of this size in a set of so many classes. */
tips_status tips__annotation_check(const tips_annotation *annotation, int classes) TIPS_MUST_CHECK;
/* Renames the classes: class k becomes to[k]. */
void tips__annotation_rename(tips_annotation *annotation, const int *to);
/* The same for the values of the mask, background among them: value v becomes to[v]. */
void tips__annotation_revalue(tips_annotation *annotation, const int *to);
/* Makes background of the classes from `classes` on; where there is none, ignores them in the mask. */
void tips__annotation_limit(tips_annotation *annotation, int classes);

#endif
