/* Outputs as tables, and cells of pyramids. */
#include "decode/decode_parts.h"

bool tips__table_of(const tips_array *a, tips_table *out) {
    int first = 0;
    if (a->type != TIPS_ARRAY_FLOAT) return false;
    while (a->n_dims - first > 2 && a->dims[first] == 1) first++;
    if (a->n_dims - first != 2) return false;
    *out = (tips_table){a->floats, a->dims[first], a->dims[first + 1], a->dims[first + 1], 1};
    return true;
}

tips_table tips__table_turned(const tips_table *t) {
    return (tips_table){t->at, t->columns, t->rows, t->column_step, t->row_step};
}

int tips__table_best(const tips_table *t, int64_t row, int64_t first, int64_t count) {
    int best = 0;
    for (int64_t i = 1; i < count; i++)
        if (tips__table_at(t, row, first + i) > tips__table_at(t, row, first + best)) best = (int)i;
    return best;
}

tips_status tips__decode_only(const tips_raw_boxes *raw, int64_t columns, const char *wanted, tips_table *out) {
    char shape[128];
    if (raw->n > 0 && tips__table_of(&raw->arrays[0], out) && out->columns >= columns) return TIPS_OK;
    tips__array_describe(&raw->arrays[0], shape, sizeof shape);
    TIPS_FAIL(TIPS_SHAPE, "its output '%.80s' is %s; this style of boxes has %s", raw->names[0], shape, wanted);
}

static int64_t along(int size, int stride) { return (size + stride - 1) / stride; }

int64_t tips__pyramid_cells(const int size[2], int first_stride, int levels) {
    int64_t cells = 0;
    for (int l = 0; l < levels; l++) cells += along(size[0], first_stride << l) * along(size[1], first_stride << l);
    return cells;
}

tips_cell tips__pyramid_cell(const int size[2], int first_stride, int levels, int64_t index) {
    for (int l = 0; l < levels; l++) {
        const int stride = first_stride << l;
        const int64_t width = along(size[1], stride), cells = along(size[0], stride) * width;
        if (index < cells) return (tips_cell){stride, (int)(index / width), (int)(index % width)};
        index -= cells;
    }
    return (tips_cell){0, 0, 0};
}
