/* Checks and walks that the layers of detectors share. */
#include "layer/box_maps.h"

tips_status tips__expect_anchors(const tips_node *node, const tips_anchors *a) {
    if (a->n_levels < 1 || a->n_levels > TIPS_ANCHOR_LEVELS || a->scales < 1 ||
        tips__anchor_shapes(a) > TIPS_ANCHOR_MOST)
        TIPS_FAIL(TIPS_RANGE, "layer '%s': %d levels of anchors in %d sizes; 1..%d and 1..%d are possible", node->name,
                  a->n_levels, a->scales, TIPS_ANCHOR_LEVELS, TIPS_ANCHOR_MOST / TIPS_ANCHOR_RATIOS);
    return TIPS_OK;
}

tips_status tips__expect_rows(const tips_graph *graph, const tips_node *node, int i, int h, int w) {
    const tips_value_info info = tips__in_info(graph, node, i);
    if (info.kind != TIPS_INDEX || info.c != 1 || (h && info.h != h) || info.w != w || info.per_sample != 1)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': input %d must be an index of %d rows of %d, not of %d of %d", node->name, i,
                  h ? h : info.h, w, info.h, info.w);
    return TIPS_OK;
}

tips_status tips__expect_origins(const tips_graph *graph, const tips_node *node, int i, const tips_anchors *a) {
    return tips__expect_rows(graph, node, i, a->n_levels, 2);
}

tips_status tips__expect_truths(const tips_graph *graph, const tips_node *node, int i) {
    return tips__expect_rows(graph, node, i, 0, TIPS_TRUTH_COLUMNS);
}

tips_status tips__expect_matches(const tips_graph *graph, const tips_node *node, int i, const tips_anchors *a) {
    return tips__expect_rows(graph, node, i, tips__anchor_count(a), 1);
}

tips_status tips__expect_rois(const tips_graph *graph, const tips_node *node, int i) {
    return tips__expect_rows(graph, node, i, 0, TIPS_ROI_COLUMNS);
}

tips_status tips__expect_head(const tips_graph *graph, const tips_node *node, int first, const tips_anchors *a,
                              int channels) {
    for (int l = 0; l < a->n_levels; l++) {
        TIPS_TRY(tips__expect_map(graph, node, first + l));
        const tips_value_info info = tips__in_info(graph, node, first + l);
        const int c = channels * tips__anchor_shapes(a), *cells = a->levels[l].cells;
        if (info.c != c || info.h != cells[0] || info.w != cells[1] || info.per_sample != 1)
            TIPS_FAIL(TIPS_SHAPE, "layer '%s': input %d is %dx%dx%d, and its anchors want %dx%dx%d", node->name,
                      first + l, info.c, info.h, info.w, c, cells[0], cells[1]);
    }
    return TIPS_OK;
}

int tips__anchor_rows(const tips_anchors *a) {
    int rows = 0;
    for (int l = 0; l < a->n_levels; l++) rows += a->levels[l].cells[0];
    return rows;
}

tips_anchor_row tips__anchor_row(const tips_anchors *a, int row) {
    tips_anchor_row at = {.y = row};
    for (; at.y >= a->levels[at.level].cells[0]; at.level++) {
        at.first += tips__anchor_cells(&a->levels[at.level]) * tips__anchor_shapes(a);
        at.y -= a->levels[at.level].cells[0];
    }
    at.first += at.y * a->levels[at.level].cells[1] * tips__anchor_shapes(a);
    return at;
}

double tips__match_divisor(const int32_t *matches, int count, int over) {
    int counted = 0;
    for (int i = 0; i < count; i++)
        counted += over == TIPS_OVER_TRUTHS ? matches[i] >= 0 : matches[i] != TIPS_MATCH_IGNORED;
    return counted > 1 ? counted : 1;
}
