/* Anchors: shapes, places, and which of them answers for what there is. */
#include "box/anchors.h"

#include <math.h>
#include <string.h>

int tips__anchor_count(const tips_anchors *a) {
    int cells = 0;
    for (int l = 0; l < a->n_levels; l++) cells += tips__anchor_cells(&a->levels[l]);
    return cells * tips__anchor_shapes(a);
}

void tips__anchor_shapes_of(const tips_anchors *a, int level, tips_corners shapes[TIPS_ANCHOR_MOST]) {
    static const double ratios[TIPS_ANCHOR_RATIOS] = {0.5, 1, 2};
    for (int r = 0; r < TIPS_ANCHOR_RATIOS; r++)
        for (int k = 0; k < a->scales; k++) {
            const double size = floor(a->levels[level].base * exp2(k / 3.0) + 1e-9);
            const double h = size * sqrt(ratios[r]), w = size / sqrt(ratios[r]);
            shapes[r * a->scales + k] = (tips_corners){rint(-w / 2), rint(-h / 2), rint(w / 2), rint(h / 2)};
        }
}

tips_corners tips__anchor_at(const tips_anchors *a, const tips_origins *origins, int level, int y, int x,
                             const tips_corners *shape) {
    const int *stride = a->levels[level].stride;
    const double down = (double)stride[0] * y + origins->at[level][0],
                 right = (double)stride[1] * x + origins->at[level][1];
    return (tips_corners){shape->x1 + right, shape->y1 + down, shape->x2 + right, shape->y2 + down};
}

enum { ORIGIN_Y, ORIGIN_X, STRIDE_Y, STRIDE_X, CELLS_Y, CELLS_X, BASE, SCALES, HEIGHT, WIDTH, CIRCULAR, LEVELS };

void tips__anchors_write(const tips_anchors *a, int level, const int origin[2], float row[TIPS_ANCHOR_COLUMNS]) {
    const tips_anchor_level *l = &a->levels[level];
    const double numbers[TIPS_ANCHOR_COLUMNS] = {
        [ORIGIN_Y] = origin[0],  [ORIGIN_X] = origin[1],  [STRIDE_Y] = l->stride[0], [STRIDE_X] = l->stride[1],
        [CELLS_Y] = l->cells[0], [CELLS_X] = l->cells[1], [BASE] = l->base,          [SCALES] = a->scales,
        [HEIGHT] = a->size[0],   [WIDTH] = a->size[1],    [CIRCULAR] = a->circular,  [LEVELS] = a->n_levels};
    for (int i = 0; i < TIPS_ANCHOR_COLUMNS; i++) row[i] = (float)numbers[i];
}

static bool is_whole(float value, int least, int most) {
    return value >= (float)least && value <= (float)most && value == floorf(value);
}

static bool read_level(const float *row, tips_anchor_level *level, double origin[2]) {
    enum { MOST = 4096 };
    for (int i = STRIDE_Y; i <= CELLS_X; i++)
        if (!is_whole(row[i], 1, MOST)) return false;
    if (!is_whole(row[ORIGIN_Y], 0, MOST) || !is_whole(row[ORIGIN_X], 0, MOST) || !(row[BASE] > 0)) return false;
    *level = (tips_anchor_level){.cells = {(int)row[CELLS_Y], (int)row[CELLS_X]},
                                 .stride = {(int)row[STRIDE_Y], (int)row[STRIDE_X]},
                                 .base = row[BASE]};
    origin[0] = row[ORIGIN_Y];
    origin[1] = row[ORIGIN_X];
    return true;
}

bool tips__anchors_read(const float *rows, int n_levels, tips_anchors *out, tips_origins *origins) {
    tips_anchors a = {.n_levels = n_levels};
    if (n_levels < 1 || n_levels > TIPS_ANCHOR_LEVELS || !is_whole(rows[LEVELS], n_levels, n_levels)) return false;
    if (!is_whole(rows[SCALES], 1, TIPS_ANCHOR_MOST / TIPS_ANCHOR_RATIOS) || !is_whole(rows[HEIGHT], 1, 1 << 20) ||
        !is_whole(rows[WIDTH], 1, 1 << 20))
        return false;
    a.scales = (int)rows[SCALES];
    a.size[0] = (int)rows[HEIGHT], a.size[1] = (int)rows[WIDTH];
    a.circular = rows[CIRCULAR] != 0;
    for (int l = 0; l < n_levels; l++, rows += TIPS_ANCHOR_COLUMNS)
        if (!read_level(rows, &a.levels[l], origins->at[l])) return false;
    *out = a;
    return true;
}

/* Every anchor in its order, with its number. */
typedef struct anchor_walk {
    const tips_anchors *a;
    const tips_origins *origins;
    tips_corners shapes[TIPS_ANCHOR_MOST], at;
    int level, y, x, shape, number;
} anchor_walk;

static anchor_walk start_walk(const tips_anchors *a, const tips_origins *origins) {
    anchor_walk w = {.a = a, .origins = origins, .shape = -1, .number = -1};
    tips__anchor_shapes_of(a, 0, w.shapes);
    return w;
}

static bool next_anchor(anchor_walk *w) {
    const tips_anchor_level *level = &w->a->levels[w->level];
    if (++w->shape == tips__anchor_shapes(w->a)) {
        w->shape = 0;
        if (++w->x == level->cells[1]) w->x = 0, w->y++;
        if (w->y == level->cells[0]) {
            w->y = 0;
            if (++w->level == w->a->n_levels) return false;
            tips__anchor_shapes_of(w->a, w->level, w->shapes);
        }
    }
    w->number++;
    w->at = tips__anchor_at(w->a, w->origins, w->level, w->y, w->x, &w->shapes[w->shape]);
    return true;
}

static void match_best(const tips_anchors *a, const tips_origins *origins, const tips_truth *truths, int n,
                       const tips_match_rule *rule, double *best, int32_t *out) {
    for (anchor_walk w = start_walk(a, origins); next_anchor(&w);) {
        double most = 0;
        int which = 0;
        for (int i = 0; i < n; i++) {
            const double overlap = tips__corners_iou(&w.at, &truths[i].box, tips__anchor_torus(a));
            if (overlap > most) most = overlap, which = i;
            if (overlap > best[i]) best[i] = overlap;
        }
        const int none = most < rule->low ? TIPS_MATCH_NOTHING : TIPS_MATCH_IGNORED;
        out[w.number] = n > 0 && most >= rule->high ? which : none;
    }
}

/* Anchors that are the best of a truth. */
static void match_rest(const tips_anchors *a, const tips_origins *origins, const tips_truth *truths, int n,
                       const double *best, int32_t *out) {
    for (anchor_walk w = start_walk(a, origins); next_anchor(&w);) {
        double most = 0;
        int which = 0;
        bool is_best = false;
        if (out[w.number] >= 0) continue;
        for (int i = 0; i < n; i++) {
            const double overlap = tips__corners_iou(&w.at, &truths[i].box, tips__anchor_torus(a));
            if (overlap > most) most = overlap, which = i;
            is_best = is_best || (overlap > 0 && overlap == best[i]);
        }
        if (is_best) out[w.number] = which;
    }
}

/* Keeps `wanted` of the `there` whose match is (not) a truth, each with the same chance. */
static void draw(tips_rng rng, int count, int32_t *matches, bool truths, int wanted, int there) {
    for (int i = 0; i < count; i++) {
        const bool is_one = truths ? matches[i] >= 0 : matches[i] == TIPS_MATCH_NOTHING;
        if (!is_one) continue;
        const bool is_drawn = tips__rng_uniform(rng, (uint64_t)i) * there < wanted;
        if (is_drawn) wanted--;
        else matches[i] = TIPS_MATCH_IGNORED;
        there--;
    }
}

void tips__match_sample(const tips_match_rule *rule, tips_rng rng, int count, int32_t *matches) {
    int truths = 0, nothing = 0;
    for (int i = 0; i < count; i++) truths += matches[i] >= 0, nothing += matches[i] == TIPS_MATCH_NOTHING;
    const int most = (int)(rule->sample * rule->share), taken = truths < most ? truths : most;
    const int rest = rule->sample - taken < nothing ? rule->sample - taken : nothing;
    draw(rng, count, matches, true, taken, truths);
    draw(rng, count, matches, false, rest, nothing);
}

void tips__anchors_match(const tips_anchors *a, const tips_origins *origins, const tips_truth *truths, int n,
                         const tips_match_rule *rule, tips_rng rng, double *best, int32_t *out) {
    for (int i = 0; i < n; i++) best[i] = 0;
    match_best(a, origins, truths, n, rule, best, out);
    match_rest(a, origins, truths, n, best, out);
    if (rule->sample > 0) tips__match_sample(rule, rng, tips__anchor_count(a), out);
}
