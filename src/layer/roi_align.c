/* RoIAlign: what a map shows within each region, as bins x bins numbers a channel, each the mean of samples x samples
 * bilinear ones. A region is read from the level of a pyramid that its size asks for, at (x - o) / s where a cell n of
 * the level lies at pixel s n + o; a cell is taken to lie on its first pixel. On the plane samples beyond the border
 * by more than a cell are 0 and others are moved onto it; around a torus they are read from the other end. Regions that
 * are not there are 0.
 * Inputs: maps of c channels for each level, regions (1, most, TIPS_ROI_COLUMNS), origins (1, levels or more, 2).
 * Output: a pixel for each region, with channels (c, bins, bins) in this order: (c bins bins, 1, most). */
#include "layer/box_maps.h"

enum { MOST_SAMPLES = 64 }; /* along an axis of a region */

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_roi_align *c = node->config;
    if (c->levels < 1 || c->levels > TIPS_ANCHOR_LEVELS || c->bins < 1 || c->samples < 1 ||
        c->bins * c->samples > MOST_SAMPLES || !(c->unit > 0))
        TIPS_FAIL(TIPS_RANGE, "layer '%s': %d levels, %d bins of %d samples; up to %d levels and %d samples in a row",
                  node->name, c->levels, c->bins, c->samples, TIPS_ANCHOR_LEVELS, MOST_SAMPLES);
    TIPS_TRY(tips__expect_inputs(node, c->levels + 2));
    const tips_value_info first = tips__in_info(graph, node, 0);
    for (int l = 0; l < c->levels; l++) {
        TIPS_TRY(tips__expect_map(graph, node, l));
        const tips_value_info info = tips__in_info(graph, node, l);
        if (info.c != first.c || info.per_sample != 1 || c->stride[l][0] < 1 || c->stride[l][1] < 1)
            TIPS_FAIL(TIPS_SHAPE, "layer '%s': level %d has %d channels and level 0 %d; all are to have as many",
                      node->name, l, info.c, first.c);
    }
    TIPS_TRY(tips__expect_rois(graph, node, c->levels));
    TIPS_TRY(tips__expect_rows(graph, node, c->levels + 1, 0, 2));
    const int most = tips__in_info(graph, node, c->levels).h;
    if (tips__in_info(graph, node, c->levels + 1).h < c->levels)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': origins of %d levels; there are %d", node->name,
                  tips__in_info(graph, node, c->levels + 1).h, c->levels);
    tips__node_out(graph, node, tips__map_info(first.c * c->bins * c->bins, 1, most, 1));
    return TIPS_OK;
}

/* Two cells of an axis, and how much of each. */
typedef struct taps {
    int cell[2];
    float weight[2];
} taps;

/* One region of a sample, ready to be read. */
typedef struct region_taps {
    int level; /* -1: there is none */
    taps rows[MOST_SAMPLES], columns[MOST_SAMPLES];
} region_taps;

static int around(int at, int size) { return (at % size + size) % size; }

static taps taps_of(tips_sample_at at, int cells, bool circular) {
    const double place = at.low + at.share;
    const float high = (float)at.share;
    if (circular) return (taps){{around(at.low, cells), around(at.low + 1, cells)}, {1 - high, high}};
    if (place < -1 || place > cells) return (taps){{0, 0}, {0, 0}};
    if (place <= 0) return (taps){{0, 0}, {1, 0}};
    if (at.low >= cells - 1) return (taps){{cells - 1, cells - 1}, {1, 0}};
    return (taps){{at.low, at.low + 1}, {1 - high, high}};
}

static void axis_taps(const tips_roi_align *c, const int32_t ends[2], int stride, int origin, int cells, taps *out) {
    tips_sample_at at[MOST_SAMPLES];
    const int count = c->bins * c->samples;
    tips__region_samples(ends[0], ends[1], stride, origin, count, at);
    for (int i = 0; i < count; i++) {
        out[i] = taps_of(at[i], cells, c->circular);
        for (int k = 0; k < 2; k++) out[i].weight[k] /= (float)c->samples; /* a mean over both axes */
    }
}

static void find_taps(const tips_op *op, int n, int i, region_taps *out) {
    const tips_roi_align *c = op->node->config;
    tips_region r;
    out->level = -1;
    if (!tips__roi_in(tips__sample_index(&op->in[c->levels], n), i, &r)) return;
    const int level = out->level = tips__region_level(&r, c->unit, c->levels);
    const int32_t *origin = tips__sample_index(&op->in[c->levels + 1], n) + (ptrdiff_t)level * 2;
    const tips_map *map = &op->in[level].map;
    axis_taps(c, (const int32_t[]){r.y1, r.y2}, c->stride[level][0], origin[0], map->h, out->rows);
    axis_taps(c, (const int32_t[]){r.x1, r.x2}, c->stride[level][1], origin[1], map->w, out->columns);
}

static int bins_of(const tips_op *op) {
    const int bins = ((const tips_roi_align *)op->node->config)->bins;
    return bins * bins;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_roi_align *c = op->node->config;
    plan->keep_in = 3u << c->levels; /* regions and origins; maps are not looked at */
    plan->forward_scratch = tips__thread_bytes((size_t)tips__padded(op->out[0].map.c));
    plan->backward_scratch = (size_t)op->out[0].map.n * (size_t)op->out[0].map.w * sizeof(region_taps);
    return TIPS_OK;
}

static vf read_bin(const tips_roi_align *c, const tips_map *map, int n, int b, const region_taps *t, int y, int x) {
    vf sum = {0};
    for (int i = y * c->samples; i < (y + 1) * c->samples; i++)
        for (int p = 0; p < 2; p++) {
            const float *row = tips__row(map, n, b, t->rows[i].cell[p]);
            vf along = {0};
            for (int j = x * c->samples; j < (x + 1) * c->samples; j++)
                for (int q = 0; q < 2; q++)
                    along = vf_fma(vf_set(t->columns[j].weight[q]),
                                   vf_load(row + (ptrdiff_t)t->columns[j].cell[q] * TIPS_BLOCK), along);
            sum = vf_fma(vf_set(t->rows[i].weight[p]), along, sum);
        }
    return sum;
}

/* The numbers of a region in their order, then as the pixel they become. */
static void read_region(const tips_op *op, int n, int i, float *numbers) {
    const tips_roi_align *c = op->node->config;
    const tips_map *dst = &op->out[0].map;
    const int bins = bins_of(op);
    region_taps t;
    find_taps(op, n, i, &t);
    memset(numbers, 0, (size_t)dst->blocks * TIPS_BLOCK * sizeof *numbers);
    const tips_map *map = &op->in[t.level < 0 ? 0 : t.level].map;
    for (int b = 0; t.level >= 0 && b < map->blocks; b++)
        for (int k = 0; k < bins; k++) {
            const vf bin = read_bin(c, map, n, b, &t, k / c->bins, k % c->bins);
            for (int l = 0; l < tips__lanes(map->c, b); l++) numbers[(b * TIPS_BLOCK + l) * bins + k] = bin[l];
        }
    for (int b = 0; b < dst->blocks; b++)
        vf_store(tips__plane(dst, n, b) + (ptrdiff_t)i * TIPS_BLOCK, vf_load(numbers + b * TIPS_BLOCK));
}

static tips_status forward(tips_op *op) {
    const tips_map *dst = &op->out[0].map;
    TIPS_PARALLEL_FOR (i, dst->n * dst->w)
        read_region(op, i / dst->w, i % dst->w, tips__thread_scratch(op, (size_t)tips__padded(dst->c)));
    return TIPS_OK;
}

static void add_bin(const tips_roi_align *c, const tips_map *diff, int n, int b, const region_taps *t, int k,
                    vf gradient) {
    for (int i = k / c->bins * c->samples; i < (k / c->bins + 1) * c->samples; i++)
        for (int p = 0; p < 2; p++) {
            float *row = tips__row(diff, n, b, t->rows[i].cell[p]);
            const vf part = gradient * vf_set(t->rows[i].weight[p]);
            for (int j = k % c->bins * c->samples; j < (k % c->bins + 1) * c->samples; j++)
                for (int q = 0; q < 2; q++)
                    tips__put(row + (ptrdiff_t)t->columns[j].cell[q] * TIPS_BLOCK,
                              part * vf_set(t->columns[j].weight[q]), true);
        }
}

/* One block of channels of all levels: the regions in their order. */
static void spread_block(const tips_op *op, const region_taps *all, int n, int b) {
    const tips_roi_align *c = op->node->config;
    const tips_map *dy = &op->out[0].diff;
    const int bins = bins_of(op), lanes = tips__lanes(op->in[0].map.c, b);
    for (int i = 0; i < dy->w; i++) {
        const region_taps *t = &all[(ptrdiff_t)n * dy->w + i];
        if (t->level < 0 || !op->in[t->level].want_diff) continue;
        for (int k = 0; k < bins; k++) {
            vf gradient = {0};
            for (int l = 0; l < lanes; l++)
                gradient[l] = *tips__map_number(dy, n, (b * TIPS_BLOCK + l) * bins + k, 0, i);
            add_bin(c, &op->in[t->level].diff, n, b, t, k, gradient);
        }
    }
}

static tips_status backward(tips_op *op) {
    const tips_roi_align *c = op->node->config;
    const tips_map *first = &op->in[0].map, *dy = &op->out[0].diff;
    region_taps *all = op->scratch;
    for (int l = 0; l < c->levels; l++)
        if (op->in[l].want_diff && !op->in[l].accumulate) tips__map_zero(&op->in[l].diff);
    TIPS_PARALLEL_FOR (i, dy->n * dy->w) find_taps(op, i / dy->w, i % dy->w, &all[i]);
    TIPS_PARALLEL_FOR (i, first->n * first->blocks) spread_block(op, all, i / first->blocks, i % first->blocks);
    return TIPS_OK;
}

/* The map at a place between its cells. */
static double ref_at(const tips_ref_slot *map, int n, int channel, double y, double x, bool circular) {
    if (!circular && (y < -1 || x < -1 || y > map->h || x > map->w)) return 0;
    if (!circular) y = fmin(fmax(y, 0), map->h - 1), x = fmin(fmax(x, 0), map->w - 1);
    const int top = (int)floor(y), left = (int)floor(x);
    double sum = 0;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            const double weight = (p ? y - top : 1 - (y - top)) * (q ? x - left : 1 - (x - left));
            if (weight > 0)
                sum += weight * tips__ref_number(map, n, channel, around(top + p, map->h), around(left + q, map->w));
        }
    return sum;
}

static double ref_bin(const tips_ref_op *op, int n, int level, const tips_region *r, int channel, int k) {
    const tips_roi_align *c = op->node->config;
    const int32_t *origin = tips__ref_sample_index(&op->in[c->levels + 1], n) + (ptrdiff_t)level * 2;
    const tips_corners box = tips__region_corners(r);
    const int *stride = c->stride[level];
    const double h = fmax((box.y2 - box.y1) / stride[0], 1) / c->bins,
                 w = fmax((box.x2 - box.x1) / stride[1], 1) / c->bins;
    double sum = 0;
    for (int i = 0; i < c->samples; i++)
        for (int j = 0; j < c->samples; j++) {
            const double y = (box.y1 - origin[0]) / stride[0] + (k / c->bins + (i + 0.5) / c->samples) * h;
            const double x = (box.x1 - origin[1]) / stride[1] + (k % c->bins + (j + 0.5) / c->samples) * w;
            sum += ref_at(&op->in[level], n, channel, y, x, c->circular);
        }
    return sum / (c->samples * c->samples);
}

static tips_status ref(tips_ref_op *op) {
    const tips_roi_align *c = op->node->config;
    const int bins = c->bins * c->bins, most = op->out[0].w;
    double *to = op->out[0].data;
    for (int n = 0; n < op->n; n++)
        for (int channel = 0; channel < op->in[0].c; channel++)
            for (int k = 0; k < bins; k++)
                for (int i = 0; i < most; i++) {
                    tips_region r;
                    const bool is_there = tips__roi_in(tips__ref_sample_index(&op->in[c->levels], n), i, &r);
                    const int level = is_there ? tips__region_level(&r, c->unit, c->levels) : 0;
                    *to++ = is_there ? ref_bin(op, n, level, &r, channel, k) : 0;
                }
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    return ((const tips_roi_align *)node->config)->circular ? NULL : "clipping";
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_roi_align *c = node->config;
    const tips_value_info *out = tips__value(graph, node->out[0]);
    return 4.0 * c->samples * c->samples * out->c * out->w;
}

const tips_layer TIPS_ROW(tips__layer_roi_align) = {
    .name = "roi_align",
    .brief = "what the levels of a pyramid show within regions, a pixel each",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .config_size = sizeof(tips_roi_align),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .breaks = breaks,
    .multiply_adds = multiply_adds,
    .ref = ref,
};
