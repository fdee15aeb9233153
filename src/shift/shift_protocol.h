/* How published work measures consistency, as typed rows: the canvas a picture is put on and the shifts that are drawn.
 *
 * A shift (dy, dx) moves the picture down and right. A standard shift uncovers black, or, where the canvas is larger
 * than the network's input, what lies beyond the window; a circular one wraps around the input. Shifts are drawn for
 * each picture from (seed, picture, view), so they depend on neither batches nor threads. */
#ifndef TIPS_SHIFT_SHIFT_PROTOCOL_H
#define TIPS_SHIFT_SHIFT_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "shift/shift_range.h"

typedef enum tips_shift_rule {
    TIPS_SHIFT_EIGHTH,        /* 0..floor(S/8) */
    TIPS_SHIFT_SEVENTH,       /* 0..S/7-1 */
    TIPS_SHIFT_AROUND,        /* -S/7..S/7-1 above 64 pixels, -3..2 up to 64 */
    TIPS_SHIFT_AROUND_EIGHTH, /* -S/8..S/8-1 */
    TIPS_SHIFT_WITHIN_EIGHTH, /* -floor(S/8)..floor(S/8) */
    TIPS_SHIFT_32,            /* -32..32, less where the input is smaller */
    TIPS_SHIFT_ALL,           /* 0..S-1 */
    TIPS_SHIFT_FRAMES         /* sideways only: -20..20 above 64 pixels, -7..8 up to 64 */
} tips_shift_rule;

typedef enum tips_canvas_rule {
    TIPS_CANVAS_INPUT, /* the network's input; black comes in */
    TIPS_CANVAS_CROPS, /* round(8S/7), of which the input is a window that begins at an offset >= 0 */
    TIPS_CANVAS_CENTRE /* round(8S/7) above 64 pixels, of which the input is the middle; else as INPUT */
} tips_canvas_rule;

typedef struct tips_shift_protocol {
    const char *name, *brief;
    tips_canvas_rule canvas;            /* of standard shifts */
    tips_shift_rule standard, circular; /* ranges */
    int pairs;                          /* per picture, unless told otherwise */
    bool sequence;                      /* views are frames in order, pairs are neighbours; nothing is drawn */
    bool from_unshifted;                /* the first view of a pair is the picture as it is */
    bool full_grid;                     /* the worst case over every shift and every picture is the point */
} tips_shift_protocol;

/* The last one, auto, stands for what a task takes. */
extern const tips_shift_protocol tips__shift_protocols[];
extern const char *const tips__protocol_names[]; /* in the order of the rows, NULL at the end */

enum { TIPS_STANDARD, TIPS_CIRCULAR, TIPS_SHIFT_KINDS };
extern const char *const tips__kind_names[]; /* "standard", "circular" */

/* Its number. */
int tips__protocol_auto(void);
/* Row `chosen`, or, where that is auto, the one called `usual` (NULL: the first). */
const tips_shift_protocol *tips__shift_protocol_for(int chosen, const char *usual);

/* The one called `usual` (NULL: the first). */
const tips_shift_protocol *tips__shift_protocol_usual(const char *usual);

/* A protocol at one input size. */
typedef struct tips_shift_plan {
    const tips_shift_protocol *protocol;
    int size[2];                              /* of the input */
    int canvas[2];                            /* of standard shifts; equal to size without a larger canvas */
    int origin[2];                            /* of the window where the shift is (0, 0) */
    tips_shift_range range[TIPS_SHIFT_KINDS]; /* of the shifts */
    int pairs, views;                         /* per picture and kind */
    uint64_t seed;
} tips_shift_plan;

/* `pairs` 0 takes the protocol's own; a sequence has as many as it has. */
tips_shift_plan tips__shift_plan(const tips_shift_protocol *protocol, const int size[2], int pairs, uint64_t seed);
bool tips__plan_has_canvas(const tips_shift_plan *plan);
/* The shift of view `view` of picture `image`. */
void tips__plan_shift(const tips_shift_plan *plan, int kind, int image, int view, int shift[2]);

/* Shift sizes d = max(|dy|, |dx|): how many a kind has, and a shift of size d >= 1 drawn for a picture. */
int tips__plan_levels(const tips_shift_plan *plan, int kind);
void tips__plan_level_shift(const tips_shift_plan *plan, int kind, int image, int d, int shift[2]);

/* The window of the standard canvas (ch, cw, c) that a shift shows, into input (h, w, c); black beyond. */
void tips__plan_window(const tips_shift_plan *plan, const uint8_t *canvas, int channels, const int shift[2],
                       uint8_t *input);

#endif
