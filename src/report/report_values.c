/* From the JSON of an evaluation to the values of a report. */
#include "report/report_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static tips_report_value value_of(const tips_json_node *object, const char *key) {
    const tips_json_node *figure = tips__json_get(object, key);
    return (tips_report_value){tips__json_get_number(figure, "value"), tips__json_get_number(figure, "low"),
                               tips__json_get_number(figure, "high")};
}

static bool read_pair(const tips_json_node *object, const char *key, int out[2]) {
    const tips_json_node *pair = tips__json_get(object, key);
    if (!pair || pair->kind != TIPS_JSON_ARRAY || pair->count != 2) return false;
    const double a = pair->first->number, b = pair->last->number;
    if (!(fabs(a) < 1e5 && fabs(b) < 1e5)) return false;
    out[0] = (int)a, out[1] = (int)b;
    return true;
}

static tips_status read_cells(const tips_json_node *map, tips_report_shift *s) {
    const tips_json_node *rows = tips__json_get(map, "consistency");
    if (!read_pair(map, "low", s->low) || !read_pair(map, "high", s->high) || s->high[0] < s->low[0] ||
        s->high[1] < s->low[1] || !rows || rows->count != s->high[0] - s->low[0] + 1)
        TIPS_FAIL(TIPS_FORMAT, "the heat map has no cells for its range");
    const int columns = s->high[1] - s->low[1] + 1;
    TIPS_TRY(tips__new(&s->cells, (size_t)rows->count * (size_t)columns * sizeof *s->cells, "a heat map"));
    double *at = s->cells;
    for (const tips_json_node *row = rows->first; row; row = row->next) {
        if (row->count != columns)
            TIPS_FAIL(TIPS_FORMAT, "a row of the heat map has %d cells, not %d", row->count, columns);
        for (const tips_json_node *cell = row->first; cell; cell = cell->next)
            *at++ = cell->kind == TIPS_JSON_NUMBER ? cell->number : NAN;
    }
    s->map_images = tips__json_get_int(map, "images", 1);
    return TIPS_OK;
}

static tips_status allocate_levels(tips_report_shift *s, int count) {
    TIPS_TRY(tips__new_zero(&s->sizes, (size_t)count * sizeof *s->sizes, "shift sizes"));
    return tips__new_zero(&s->levels, (size_t)count * sizeof *s->levels, "shift sizes");
}

static tips_status read_levels(const tips_json_node *levels, tips_report_shift *s) {
    TIPS_TRY(allocate_levels(s, levels->count));
    for (const tips_json_node *level = levels->first; level; level = level->next) {
        s->sizes[s->n_levels] = tips__json_get_int(level, "size", s->n_levels + 1);
        s->levels[s->n_levels++] = value_of(level, "consistency");
    }
    return TIPS_OK;
}

static int larger(int a, int b) { return a > b ? a : b; }

static int largest_shift(const tips_report_shift *s) {
    int most = 0;
    for (int axis = 0; axis < 2; axis++) most = larger(most, larger(abs(s->low[axis]), abs(s->high[axis])));
    return most;
}

/* Means over the shifts of each size in the heat map. */
static tips_status levels_from_map(tips_report_shift *s) {
    const int most = largest_shift(s);
    TIPS_TRY(allocate_levels(s, most));
    for (int size = 1; size <= most; size++) {
        double sum = 0;
        int count = 0;
        const double *cell = s->cells;
        for (int dy = s->low[0]; dy <= s->high[0]; dy++)
            for (int dx = s->low[1]; dx <= s->high[1]; dx++, cell++)
                if (larger(abs(dy), abs(dx)) == size) sum += *cell, count++;
        if (count == 0) continue;
        s->sizes[s->n_levels] = size;
        s->levels[s->n_levels++] = (tips_report_value){sum / count, NAN, NAN};
    }
    s->levels_from_map = true;
    return TIPS_OK;
}

static tips_status read_shift(const tips_json_node *node, int kind, tips_report_shift *s) {
    const char *name = tips__report_kinds[kind];
    const tips_json_node *map = tips__json_get(tips__json_get(node, "heatmap"), name);
    const tips_json_node *levels = tips__json_get(tips__json_get(node, "levels"), name);
    const bool circular = kind == TIPS_REPORT_CIRCULAR;
    s->consistency = value_of(node, circular ? "circular_consistency" : "standard_consistency");
    s->fidelity = value_of(node, circular ? "circular_fidelity" : "standard_fidelity");
    s->worst_consistency = value_of(map, "worst_consistency");
    s->worst_accuracy = value_of(map, "worst_accuracy");
    if (map) TIPS_TRY(read_cells(map, s));
    if (levels && levels->count > 0) return read_levels(levels, s);
    return map ? levels_from_map(s) : TIPS_OK;
}

static tips_status read_layers(const tips_json_node *node, tips_report_evaluation *e) {
    const tips_json_node *layers = tips__json_get(node, "layers");
    if (!layers || layers->count == 0) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&e->layers, (size_t)layers->count * sizeof *e->layers, "layers"));
    for (const tips_json_node *layer = layers->first; layer; layer = layer->next) {
        tips_report_layer *l = &e->layers[e->n_layers++];
        TIPS_TRY(tips__report_copy(tips__json_get_text(layer, "name", "?"), &l->name));
        l->msb = value_of(layer, "msb");
        l->nontrivial = value_of(layer, "msb_nontrivial");
    }
    return TIPS_OK;
}

tips_status tips__report_take_evaluation(const tips_json_node *node, tips_report_evaluation *e) {
    e->accuracy = value_of(node, "accuracy");
    if (isnan(e->accuracy.value) || !tips__json_get_text(node, "protocol", NULL))
        TIPS_FAIL(TIPS_FORMAT, "is not what tips eval --json writes: it has no accuracy or no protocol");
    e->top5 = value_of(node, "top5");
    e->msb = value_of(node, "msb");
    e->msb_nontrivial = value_of(node, "msb_nontrivial");
    e->images = tips__json_get_int(node, "images", 0);
    e->pairs = tips__json_get_int(node, "pairs", 1);
    for (int kind = 0; kind < TIPS_REPORT_KINDS; kind++) TIPS_TRY(read_shift(node, kind, &e->shift[kind]));
    TIPS_TRY(read_layers(node, e));
    TIPS_TRY(tips__report_copy(tips__json_get_text(node, "split", "test"), &e->split));
    TIPS_TRY(tips__report_copy(tips__json_get_text(node, "protocol", ""), &e->protocol));
    return tips__report_copy(tips__json_get_text(node, "data", ""), &e->data);
}
