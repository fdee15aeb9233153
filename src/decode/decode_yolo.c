/* The family of YOLO without suppression in the graph.
 *
 * yolo5, also of YOLOv6, v7 and of YOLOX exported with its decoding: (n, boxes, 5 + classes), centre and size in
 * pixels, whether there is something, and what. yolo8, also of v9 and v11: (n, 4 + classes, boxes). yolox as it is
 * exported: as yolo5, but centres relative to their cell in strides and sizes as logarithms. */
#include "decode/decode_parts.h"

#include <math.h>

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__decode_rows},
    {.type = TIPS_OPT_END},
};

enum { PLACE = 4, FIRST_STRIDE = 8, LEVELS = 3, MOST_LEVELS = 4 };

static const tips_decode_common *common_of(const void *config) { return config; }

/* Whether something is there times what it is; every class that is likely enough, as the published evaluations do. */
static tips_status add_classes(const void *config, const tips_table *t, int64_t row, int64_t first, double there,
                               const tips_corners *box, tips_found *found) {
    const double least = common_of(config)->score;
    if (!(there >= least)) return TIPS_OK;
    for (int64_t c = first; c < t->columns; c++) {
        const double score = there * tips__table_at(t, row, c);
        if (score >= least) TIPS_TRY(tips__found_add(found, box, score, (int)(c - first)));
    }
    return TIPS_OK;
}

static tips_corners box_of(const tips_table *t, int64_t row) {
    return tips__corners_around(tips__table_at(t, row, 0), tips__table_at(t, row, 1), tips__table_at(t, row, 2),
                                tips__table_at(t, row, 3));
}

static const char five[] = "rows of 4 numbers for the box, 1 for whether it is there, and 1 for each class";

static tips_status classes5(const void *config, const tips_raw_boxes *raw, int *classes) {
    tips_table t;
    (void)config;
    TIPS_TRY(tips__decode_only(raw, PLACE + 2, five, &t));
    *classes = (int)t.columns - PLACE - 1;
    return TIPS_OK;
}

static tips_status decode5(const void *config, const tips_raw_boxes *raw, tips_found *found) {
    tips_table t;
    TIPS_TRY(tips__decode_only(raw, PLACE + 2, five, &t));
    for (int64_t i = 0; i < t.rows; i++) {
        const tips_corners box = box_of(&t, i);
        TIPS_TRY(add_classes(config, &t, i, PLACE + 1, tips__table_at(&t, i, PLACE), &box, found));
    }
    return TIPS_OK;
}

/* More rows than numbers in each: three anchors a cell, or one. */
static bool fits5(const tips_raw_boxes *raw) {
    tips_table t;
    return raw->n > 0 && tips__table_of(&raw->arrays[0], &t) && raw->arrays[0].n_dims == 3 && t.columns > PLACE + 1 &&
           t.rows > t.columns;
}

const tips_decode_style tips__decode_yolo5 = {
    .name = "yolo5",
    .brief = "YOLOv5, v6, v7: (n, boxes, 5 + classes) in pixels",
    .options = options,
    .input = {.grey = true, .centre = true, .letterbox = "yolov5"},
    .fits = fits5,
    .classes = classes5,
    .decode = decode5,
};

static tips_status table8(const tips_raw_boxes *raw, tips_table *out) {
    tips_table t;
    TIPS_TRY(tips__decode_only(raw, 1, "columns of 4 numbers for the box and 1 for each class", &t));
    *out = tips__table_turned(&t);
    if (out->columns <= PLACE)
        TIPS_FAIL(TIPS_SHAPE, "its output '%.80s' has %lld rows; 4 for the box and 1 for each class are needed",
                  raw->names[0], (long long)out->columns);
    return TIPS_OK;
}

static tips_status classes8(const void *config, const tips_raw_boxes *raw, int *classes) {
    tips_table t;
    (void)config;
    TIPS_TRY(table8(raw, &t));
    *classes = (int)t.columns - PLACE;
    return TIPS_OK;
}

static tips_status decode8(const void *config, const tips_raw_boxes *raw, tips_found *found) {
    tips_table t;
    TIPS_TRY(table8(raw, &t));
    for (int64_t i = 0; i < t.rows; i++) {
        const tips_corners box = box_of(&t, i);
        TIPS_TRY(add_classes(config, &t, i, PLACE, 1, &box, found));
    }
    return TIPS_OK;
}

static bool fits8(const tips_raw_boxes *raw) {
    tips_table t;
    return raw->n > 0 && tips__table_of(&raw->arrays[0], &t) && raw->arrays[0].n_dims == 3 && t.rows > PLACE &&
           t.columns > t.rows;
}

const tips_decode_style tips__decode_yolo8 = {
    .name = "yolo8",
    .brief = "YOLOv8, v9, v11: (n, 4 + classes, boxes) in pixels",
    .options = options,
    .input = {.grey = true, .centre = true, .letterbox = "ultralytics"},
    .fits = fits8,
    .classes = classes8,
    .decode = decode8,
};

/* Levels that make as many cells as there are rows; 0: none do. */
static int levels_of(const tips_raw_boxes *raw, const tips_table *t) {
    for (int levels = LEVELS; levels <= MOST_LEVELS; levels++)
        if (tips__pyramid_cells(raw->size, FIRST_STRIDE, levels) == t->rows) return levels;
    return 0;
}

static tips_status tablex(const tips_raw_boxes *raw, tips_table *t, int *levels) {
    TIPS_TRY(tips__decode_only(raw, PLACE + 2, five, t));
    *levels = levels_of(raw, t);
    if (!*levels)
        TIPS_FAIL(TIPS_SHAPE, "its output '%.80s' has %lld rows; an input of %dx%d has %lld cells of strides 8, 16, 32",
                  raw->names[0], (long long)t->rows, raw->size[0], raw->size[1],
                  (long long)tips__pyramid_cells(raw->size, FIRST_STRIDE, LEVELS));
    return TIPS_OK;
}

static tips_status classesx(const void *config, const tips_raw_boxes *raw, int *classes) {
    tips_table t;
    int levels;
    (void)config;
    TIPS_TRY(tablex(raw, &t, &levels));
    *classes = (int)t.columns - PLACE - 1;
    return TIPS_OK;
}

static tips_status decodex(const void *config, const tips_raw_boxes *raw, tips_found *found) {
    tips_table t = {0};
    int levels = 0;
    TIPS_TRY(tablex(raw, &t, &levels));
    for (int64_t i = 0; i < t.rows; i++) {
        const tips_cell cell = tips__pyramid_cell(raw->size, FIRST_STRIDE, levels, i);
        const double s = cell.stride;
        const tips_corners box =
            tips__corners_around((tips__table_at(&t, i, 0) + cell.x) * s, (tips__table_at(&t, i, 1) + cell.y) * s,
                                 exp(tips__table_at(&t, i, 2)) * s, exp(tips__table_at(&t, i, 3)) * s);
        TIPS_TRY(add_classes(config, &t, i, PLACE + 1, tips__table_at(&t, i, PLACE), &box, found));
    }
    return TIPS_OK;
}

/* One box a cell; a file that decodes itself has the same shape, and has to be named. */
static bool fitsx(const tips_raw_boxes *raw) {
    tips_table t;
    return fits5(raw) && tips__table_of(&raw->arrays[0], &t) && levels_of(raw, &t) > 0;
}

const tips_decode_style tips__decode_yolox = {
    .name = "yolox",
    .brief = "YOLOX as it is exported: as yolo5, in cells and logarithms",
    .options = options,
    .input = {.std = {1, 1, 1}, .bgr = true, .grey = true, .letterbox = "yolox"},
    .fits = fitsx,
    .classes = classesx,
    .decode = decodex,
};
