/* FastestDet: a map (n, 5 + classes, h, w) of whether something is in a cell, where its centre is off the cell's by a
 * tanh, its size as the sigmoid of a part of the input, and what it is. */
#include "decode/decode_parts.h"

#include <math.h>

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .group = tips__decode_rows},
    {.type = TIPS_OPT_END},
};

enum { CLASSES = 5 };

static bool is_map(const tips_raw_boxes *raw) {
    const tips_array *a = raw->arrays;
    return raw->n == 1 && a->type == TIPS_ARRAY_FLOAT && a->n_dims == 4 && a->dims[0] == 1 && a->dims[1] > CLASSES;
}

static tips_status classes(const void *config, const tips_raw_boxes *raw, int *out) {
    (void)config;
    if (!is_map(raw)) TIPS_FAIL(TIPS_SHAPE, "its output is not one map (1, 5 + classes, h, w)");
    *out = (int)raw->arrays->dims[1] - CLASSES;
    return TIPS_OK;
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static tips_status add_cell(const void *config, const tips_raw_boxes *raw, const tips_table *cells, int64_t cell,
                            tips_found *found) {
    const tips_array *a = raw->arrays;
    const double there = tips__table_at(cells, cell, 0);
    const int label = tips__table_best(cells, cell, CLASSES, a->dims[1] - CLASSES);
    const double score = pow(there, 0.6) * pow(tips__table_at(cells, cell, CLASSES + label), 0.4);
    const double rows = (double)a->dims[2], columns = (double)a->dims[3];
    if (!(score >= ((const tips_decode_common *)config)->score)) return TIPS_OK;
    const tips_corners box = tips__corners_around(
        ((double)(cell % a->dims[3]) + tanh(tips__table_at(cells, cell, 1))) / columns * raw->size[1],
        ((double)(cell / a->dims[3]) + tanh(tips__table_at(cells, cell, 2))) / rows * raw->size[0],
        sigmoid(tips__table_at(cells, cell, 3)) * raw->size[1], sigmoid(tips__table_at(cells, cell, 4)) * raw->size[0]);
    return tips__found_add(found, &box, score, label);
}

static tips_status decode(const void *config, const tips_raw_boxes *raw, tips_found *found) {
    int count;
    TIPS_TRY(classes(config, raw, &count));
    const int64_t area = raw->arrays->dims[2] * raw->arrays->dims[3];
    const tips_table cells = {raw->arrays->floats, area, raw->arrays->dims[1], 1, area};
    for (int64_t i = 0; i < area; i++) TIPS_TRY(add_cell(config, raw, &cells, i, found));
    return TIPS_OK;
}

const tips_decode_style tips__decode_fastestdet = {
    .name = "fastestdet",
    .brief = "FastestDet: a map (n, 5 + classes, h, w)",
    .options = options,
    .input = {.bgr = true, .stretch = true},
    .fits = is_map,
    .classes = classes,
    .decode = decode,
};
