/* NanoDet: for each level of stride 8, 16 and 32 (and 64) scores (cells, classes) and distributions (cells, 4 bins) of
 * how far the four sides lie from the middle of the cell, in strides. Outputs come in any order. */
#include "decode/decode_parts.h"

#include <math.h>

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__decode_rows},
    {.type = TIPS_OPT_END},
};

enum { FIRST_STRIDE = 8, MOST_LEVELS = 4, SIDES = 4 };

typedef struct level {
    int stride;
    tips_table scores, sides;
    int64_t bins;
} level;

/* The stride whose cells are as many as the rows, 0 if there is none. */
static int stride_of(const tips_raw_boxes *raw, int64_t rows) {
    for (int l = 0; l < MOST_LEVELS; l++)
        if (tips__pyramid_cells(raw->size, FIRST_STRIDE << l, 1) == rows) return FIRST_STRIDE << l;
    return 0;
}

/* The tables of one stride come in pairs, scores before sides as all exporters have them. */
static int find_levels(const tips_raw_boxes *raw, level levels[MOST_LEVELS]) {
    int n = 0;
    if (raw->n < 2 || raw->n % 2 || raw->n > 2 * MOST_LEVELS) return 0;
    for (int i = 0; i < raw->n; i++) {
        tips_table t;
        if (!tips__table_of(&raw->arrays[i], &t)) return 0;
        const int stride = stride_of(raw, t.rows);
        int at = 0;
        while (at < n && levels[at].stride != stride) at++;
        if (!stride) return 0;
        if (at == n) {
            if (n == MOST_LEVELS) return 0;
            levels[n++] = (level){.stride = stride, .scores = t};
        } else if (levels[at].bins || t.columns % SIDES || t.columns < 2 * SIDES) {
            return 0;
        } else {
            levels[at].sides = t;
            levels[at].bins = t.columns / SIDES;
        }
    }
    for (int i = 0; i < n; i++)
        if (!levels[i].bins || levels[i].scores.columns != levels[0].scores.columns) return 0;
    return n;
}

static bool fits(const tips_raw_boxes *raw) {
    level levels[MOST_LEVELS];
    return raw->n >= 2 * 2 && find_levels(raw, levels) == raw->n / 2;
}

static tips_status need_levels(const tips_raw_boxes *raw, level levels[MOST_LEVELS], int *n) {
    *n = find_levels(raw, levels);
    if (!*n || *n != raw->n / 2)
        TIPS_FAIL(TIPS_SHAPE,
                  "its outputs are not scores (cells, classes) and sides (cells, 4 bins) for each of some "
                  "strides of an input of %dx%d",
                  raw->size[0], raw->size[1]);
    return TIPS_OK;
}

static tips_status classes(const void *config, const tips_raw_boxes *raw, int *out) {
    level levels[MOST_LEVELS];
    int n;
    (void)config;
    TIPS_TRY(need_levels(raw, levels, &n));
    *out = (int)levels[0].scores.columns;
    return TIPS_OK;
}

/* The mean of a distribution over whole strides. */
static double distance(const level *l, int64_t row, int side) {
    double most = -INFINITY, sum = 0, mean = 0;
    for (int64_t k = 0; k < l->bins; k++) most = fmax(most, tips__table_at(&l->sides, row, side * l->bins + k));
    for (int64_t k = 0; k < l->bins; k++) {
        const double weight = exp(tips__table_at(&l->sides, row, side * l->bins + k) - most);
        sum += weight;
        mean += (double)k * weight;
    }
    return mean / sum * l->stride;
}

static tips_corners box_of(const tips_raw_boxes *raw, const level *l, int64_t row) {
    const tips_cell cell = tips__pyramid_cell(raw->size, l->stride, 1, row);
    const double y = cell.y * l->stride + (l->stride - 1) / 2.0, x = cell.x * l->stride + (l->stride - 1) / 2.0;
    return (tips_corners){x - distance(l, row, 0), y - distance(l, row, 1), x + distance(l, row, 2),
                          y + distance(l, row, 3)};
}

static tips_status decode_level(const void *config, const tips_raw_boxes *raw, const level *l, tips_found *found) {
    const double least = ((const tips_decode_common *)config)->score;
    for (int64_t i = 0; i < l->scores.rows; i++) {
        const int best = tips__table_best(&l->scores, i, 0, l->scores.columns);
        if (!(tips__table_at(&l->scores, i, best) >= least)) continue;
        const tips_corners box = box_of(raw, l, i);
        for (int64_t c = 0; c < l->scores.columns; c++) {
            const double score = tips__table_at(&l->scores, i, c);
            if (score >= least) TIPS_TRY(tips__found_add(found, &box, score, (int)c));
        }
    }
    return TIPS_OK;
}

static tips_status decode(const void *config, const tips_raw_boxes *raw, tips_found *found) {
    level levels[MOST_LEVELS];
    int n = 0;
    TIPS_TRY(need_levels(raw, levels, &n));
    for (int i = 0; i < n; i++) TIPS_TRY(decode_level(config, raw, &levels[i], found));
    return TIPS_OK;
}

const tips_decode_style tips__decode_nanodet = {
    .name = "nanodet",
    .brief = "NanoDet: scores and distributions of sides for each stride",
    .options = options,
    .input = {.mean = {103.53f, 116.28f, 123.675f},
              .std = {57.375f, 57.12f, 58.395f},
              .bgr = true,
              .centre = true,
              .letterbox = "nanodet"},
    .fits = fits,
    .classes = classes,
    .decode = decode,
};
