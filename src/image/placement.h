/* How a picture comes to lie on the canvas that becomes a network's input, where that is not the usual way: as a whole,
 * with its aspect, at the top left, for networks that look for things in it. */
#ifndef TIPS_IMAGE_PLACEMENT_H
#define TIPS_IMAGE_PLACEMENT_H

#include "core/option.h"

/* Bilinear both; `plain` looks at the four nearest pixels however much smaller the picture becomes. */
typedef enum tips_filter { TIPS_FILTER_SMOOTH, TIPS_FILTER_PLAIN } tips_filter;
extern const char *const tips__filter_names[]; /* "smooth", "plain", NULL */

/* What lies around the picture: black pixels, pixels that are zero once normalised, or grey ones. */
typedef enum tips_pad { TIPS_PAD_BLACK, TIPS_PAD_MEAN, TIPS_PAD_GREY } tips_pad;
extern const char *const tips__pad_names[]; /* "black", "mean", "grey", NULL */
enum { TIPS_GREY = 114 };

/* Where a fitted picture lies. */
typedef enum tips_corner { TIPS_AT_CORNER, TIPS_AT_CENTRE } tips_corner;
extern const char *const tips__corner_names[];  /* "corner", "centre", NULL */
extern const char *const tips__stretch_names[]; /* "no", "yes", NULL */

/* Whose rule it is how large a fitted picture becomes, where its margins lie, and how boxes go back. */
typedef enum tips_letterbox {
    TIPS_LETTERBOX_TORCHVISION,
    TIPS_LETTERBOX_YOLOX,
    TIPS_LETTERBOX_YOLOV5,
    TIPS_LETTERBOX_ULTRALYTICS,
    TIPS_LETTERBOX_NANODET
} tips_letterbox;
extern const char *const tips__letterbox_names[]; /* "torchvision", ..., NULL */

enum { TIPS_FIT_INPUT = 8192 }; /* a bound of `fit` beyond every input: as large as the input lets it be */

/* All zero: the usual way. torchvision's detectors: {{800, 1333}, TIPS_FILTER_PLAIN, TIPS_PAD_MEAN}. */
typedef struct tips_placement {
    int fit[2];  /* the most that the shorter and the longer side become, within the input; 0: not so */
    int filter;  /* tips_filter */
    int pad;     /* tips_pad */
    int place;   /* tips_corner */
    int stretch; /* 1: to the input's size, whatever the aspect */
    int letterbox; /* tips_letterbox, where it is fitted */
} tips_placement;

extern const tips_option tips__placement_rows[];

/* Refuses to fit pictures that are resized otherwise. */
tips_status tips__placement_check(const tips_placement *placement, int resize) TIPS_MUST_CHECK;
/* Whether it says how large pictures become. */
bool tips__placement_is_whole(const tips_placement *placement);
/* Where a picture that is fitted or stretched lies in an input of that size: heights, then widths. */
typedef struct tips_lay {
    int size[2], offset[2];     /* of its pixels */
    double scale[2], origin[2]; /* of places and boxes: scale x + origin */
} tips_lay;
void tips__placement_lay(const tips_placement *placement, const int picture[2], const int input[2], tips_lay *out);

#endif
