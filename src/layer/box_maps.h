/* What layers of detectors read: the maps of a head, one for each level, and three indices: the origins of the levels
 * (1, levels, 2), truths (1, most, TIPS_TRUTH_COLUMNS), and the truth of each anchor (1, anchors, 1). */
#ifndef TIPS_LAYER_BOX_MAPS_H
#define TIPS_LAYER_BOX_MAPS_H

#include "layer/detection_layers.h"
#include "layer/layer_common.h"

#include <math.h>

/* A truth in a row: corners in parts of a pixel, class, and whether there is one. */
enum { TRUTH_X1, TRUTH_Y1, TRUTH_X2, TRUTH_Y2, TRUTH_LABEL, TRUTH_THERE };

static inline float *tips__map_number(const tips_map *map, int n, int c, int y, int x) {
    return tips__row(map, n, c / TIPS_LANES, y) + (ptrdiff_t)x * TIPS_LANES + c % TIPS_LANES;
}

/* Row i of the truths of a sample; false if there is none. */
static inline bool tips__truth_in(const int32_t *truths, int i, tips_truth *out) {
    const int32_t *row = truths + (ptrdiff_t)i * TIPS_TRUTH_COLUMNS;
    const double part = 1.0 / TIPS_TRUTH_PARTS;
    *out = (tips_truth){{row[TRUTH_X1] * part, row[TRUTH_Y1] * part, row[TRUTH_X2] * part, row[TRUTH_Y2] * part},
                        row[TRUTH_LABEL]};
    return row[TRUTH_THERE] > 0 && row[TRUTH_X2] > row[TRUTH_X1] && row[TRUTH_Y2] > row[TRUTH_Y1];
}

static inline tips_origins tips__origins_in(const int32_t *origins, int levels) {
    tips_origins out = {0};
    for (int l = 0; l < levels; l++)
        for (int axis = 0; axis < 2; axis++) out.at[l][axis] = origins[2 * l + axis];
    return out;
}

/* The numbers of sample n. */
static inline int32_t *tips__sample_index(const tips_slot *slot, int n) {
    return slot->index + (ptrdiff_t)n * slot->map.h * slot->map.w;
}
static inline int32_t *tips__ref_sample_index(const tips_ref_slot *slot, int n) {
    return slot->index + (ptrdiff_t)n * slot->h * slot->w;
}

static inline double tips__ref_number(const tips_ref_slot *slot, int n, int c, int y, int x) {
    return slot
        ->data[(((size_t)n * (size_t)slot->c + (size_t)c) * (size_t)slot->h + (size_t)y) * (size_t)slot->w + (size_t)x];
}

/* A row of regions (1, most, TIPS_ROI_COLUMNS); false if there is none. */
static inline bool tips__roi_in(const int32_t *rois, int i, tips_region *out) {
    const int32_t *row = rois + (ptrdiff_t)i * TIPS_ROI_COLUMNS;
    *out = (tips_region){row[0], row[1], row[2], row[3]};
    return row[4] > 0;
}
/* NULL: none. */
static inline void tips__roi_put(int32_t *rois, int i, const tips_region *region) {
    int32_t *row = rois + (ptrdiff_t)i * TIPS_ROI_COLUMNS;
    const tips_region r = region ? *region : (tips_region){0};
    row[0] = r.x1, row[1] = r.y1, row[2] = r.x2, row[3] = r.y2, row[4] = region != NULL;
}

/* How far a number of a code is off, and its slope: squares below beta, plain distances above. */
static inline double tips__code_distance(double d, double beta) {
    const double far = fabs(d);
    return far < beta ? d * d / (2 * beta) : far - beta / 2;
}
static inline double tips__code_slope(double d, double beta) {
    if (fabs(d) < beta) return d / beta;
    return d > 0 ? 1 : d < 0 ? -1 : 0;
}

/* A stream of its own for each sample. */
static inline tips_rng tips__sample_rng(tips_rng rng, int n) {
    return (tips_rng){rng.seed, tips__rng_mix(rng.stream, (uint64_t)n)};
}

/* Checks of a node's inputs. */
tips_status tips__expect_anchors(const tips_node *node, const tips_anchors *anchors);
tips_status tips__expect_origins(const tips_graph *graph, const tips_node *node, int i, const tips_anchors *anchors);
tips_status tips__expect_truths(const tips_graph *graph, const tips_node *node, int i);
tips_status tips__expect_matches(const tips_graph *graph, const tips_node *node, int i, const tips_anchors *anchors);
tips_status tips__expect_rois(const tips_graph *graph, const tips_node *node, int i);
/* An index (1, h, w); h 0: any. */
tips_status tips__expect_rows(const tips_graph *graph, const tips_node *node, int i, int h, int w);
/* `levels` inputs from `first` on: `channels` for each shape, at each cell. */
tips_status tips__expect_head(const tips_graph *graph, const tips_node *node, int first, const tips_anchors *anchors,
                              int channels);

/* A row of cells of one level, of all rows of all levels. */
typedef struct tips_anchor_row {
    int level, y, first; /* number of its first anchor */
} tips_anchor_row;
int tips__anchor_rows(const tips_anchors *anchors);
tips_anchor_row tips__anchor_row(const tips_anchors *anchors, int row);

/* What a sum over anchors is divided by: those with a truth, or all that are not ignored; 1 at least. */
double tips__match_divisor(const int32_t *matches, int count, int over);

#endif
