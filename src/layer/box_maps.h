/* What layers of detectors read: the maps of a head, one for each level; origins of anchors (1, levels, columns), of
 * which the first two columns count; truths (1, most, TIPS_TRUTH_COLUMNS); and the truth of each anchor, an index
 * (1, anchors, 1). */
#ifndef TIPS_LAYER_BOX_MAPS_H
#define TIPS_LAYER_BOX_MAPS_H

#include "layer/detection_layers.h"
#include "layer/layer_common.h"

/* A truth in a row: corners, class, and whether there is one. */
enum { TRUTH_X1, TRUTH_Y1, TRUTH_X2, TRUTH_Y2, TRUTH_LABEL, TRUTH_THERE };

static inline float *tips__map_number(const tips_map *map, int n, int c, int y, int x) {
    return tips__row(map, n, c / TIPS_LANES, y) + (ptrdiff_t)x * TIPS_LANES + c % TIPS_LANES;
}

static inline bool tips__truth_from(const double row[TIPS_TRUTH_COLUMNS], tips_truth *out) {
    *out = (tips_truth){{row[TRUTH_X1], row[TRUTH_Y1], row[TRUTH_X2], row[TRUTH_Y2]}, (int)row[TRUTH_LABEL]};
    return row[TRUTH_THERE] > 0 && out->box.x2 > out->box.x1 && out->box.y2 > out->box.y1;
}

/* Row i of a sample's truths; false if there is none. */
static inline bool tips__truth_in(const tips_map *map, int n, int i, tips_truth *out) {
    double row[TIPS_TRUTH_COLUMNS];
    for (int c = 0; c < TIPS_TRUTH_COLUMNS; c++) row[c] = *tips__map_number(map, n, 0, i, c);
    return tips__truth_from(row, out);
}

static inline void tips__origins_in(const tips_map *map, int n, tips_origins *out) {
    for (int l = 0; l < map->h; l++)
        for (int axis = 0; axis < 2; axis++) out->at[l][axis] = *tips__map_number(map, n, 0, l, axis);
}

static inline double tips__ref_number(const tips_ref_slot *slot, int n, int c, int y, int x) {
    return slot
        ->data[(((size_t)n * (size_t)slot->c + (size_t)c) * (size_t)slot->h + (size_t)y) * (size_t)slot->w + (size_t)x];
}

static inline bool tips__ref_truth_in(const tips_ref_slot *slot, int n, int i, tips_truth *out) {
    double row[TIPS_TRUTH_COLUMNS];
    for (int c = 0; c < TIPS_TRUTH_COLUMNS; c++) row[c] = tips__ref_number(slot, n, 0, i, c);
    return tips__truth_from(row, out);
}

static inline void tips__ref_origins_in(const tips_ref_slot *slot, int n, tips_origins *out) {
    for (int l = 0; l < slot->h; l++)
        for (int axis = 0; axis < 2; axis++) out->at[l][axis] = tips__ref_number(slot, n, 0, l, axis);
}

/* Checks of a node's inputs. */
tips_status tips__expect_anchors(const tips_node *node, const tips_anchors *anchors);
tips_status tips__expect_origins(const tips_graph *graph, const tips_node *node, int i, const tips_anchors *anchors);
tips_status tips__expect_truths(const tips_graph *graph, const tips_node *node, int i);
tips_status tips__expect_matches(const tips_graph *graph, const tips_node *node, int i, const tips_anchors *anchors);
/* Inputs 0 to levels - 1: `channels` for each shape, at each cell. */
tips_status tips__expect_head(const tips_graph *graph, const tips_node *node, const tips_anchors *anchors,
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
