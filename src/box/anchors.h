/* The boxes that detectors start from: several shapes around each cell of each level of a pyramid. They lie where the
 * cells do: cell n of a level at pixel stride n + origin, and the origin follows from the phases that the operators
 * before it have chosen. A picture that moves takes its anchors along. */
#ifndef TIPS_BOX_ANCHORS_H
#define TIPS_BOX_ANCHORS_H

#include <stddef.h>
#include <stdint.h>

#include "box/box.h"
#include "core/rng.h"

enum { TIPS_ANCHOR_LEVELS = 6, TIPS_ANCHOR_RATIOS = 3, TIPS_ANCHOR_MOST = 9 };

typedef struct tips_anchor_level {
    int cells[2], stride[2]; /* down and right */
    double base;             /* size of its smallest anchor */
} tips_anchor_level;

typedef struct tips_anchors {
    int n_levels;
    int scales;    /* shapes: so many sizes, base 2^(k/3), each in the ratios 1/2, 1 and 2 */
    int size[2];   /* height and width of the input */
    bool circular; /* which is a torus */
    tips_anchor_level levels[TIPS_ANCHOR_LEVELS];
} tips_anchors;

/* Down and right, of each level. */
typedef struct tips_origins {
    double at[TIPS_ANCHOR_LEVELS][2];
} tips_origins;

static inline int tips__anchor_shapes(const tips_anchors *a) { return a->scales * TIPS_ANCHOR_RATIOS; }
static inline int tips__anchor_cells(const tips_anchor_level *level) { return level->cells[0] * level->cells[1]; }
int tips__anchor_count(const tips_anchors *a);
static inline tips_torus tips__anchor_torus(const tips_anchors *a) { return a->circular ? a->size : NULL; }

/* The shapes of a level around (0, 0), edges rounded to whole pixels: (scales, ratios), ratios outermost. */
void tips__anchor_shapes_of(const tips_anchors *a, int level, tips_corners shapes[TIPS_ANCHOR_MOST]);
/* A shape at a cell. */
tips_corners tips__anchor_at(const tips_anchors *a, const tips_origins *origins, int level, int y, int x,
                             const tips_corners *shape);

/* Anchors with their origins as a row of numbers for each level, and back. */
enum { TIPS_ANCHOR_COLUMNS = 12 };
void tips__anchors_write(const tips_anchors *a, int level, const int origin[2], float row[TIPS_ANCHOR_COLUMNS]);
/* false if the numbers are none of ours. */
bool tips__anchors_read(const float *rows, int n_levels, tips_anchors *out, tips_origins *origins);

/* What there is to find. */
typedef struct tips_truth {
    tips_corners box;
    int label;
} tips_truth;

/* An anchor that overlaps a truth by at least `high` is its; one that overlaps none by `low` is background. The anchors
 * that overlap a truth most are not background either, but belong to the one that they themselves overlap most. */
typedef struct tips_match_rule {
    double high, low;
    int sample;   /* so many are drawn, the others ignored; 0: all count */
    double share; /* at most this part of them from those with a truth */
} tips_match_rule;
enum { TIPS_MATCH_IGNORED = -2, TIPS_MATCH_NOTHING = -1 };

/* The number of its truth for each anchor, in the order of levels, rows, columns and shapes, or one of the above.
 * `best` (n) is room. */
void tips__anchors_match(const tips_anchors *a, const tips_origins *origins, const tips_truth *truths, int n,
                         const tips_match_rule *rule, tips_rng rng, double *best, int32_t *out);
/* Draws from what is matched: what is not drawn becomes ignored. */
void tips__match_sample(const tips_match_rule *rule, tips_rng rng, int count, int32_t *matches);

#endif
