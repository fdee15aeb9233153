/* Counting agreement over a grid of shifts. */
#include "metric/heatmap.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdbool.h>

tips_status tips__heatmap_create(const tips_shift_range *range, tips_heatmap *out) {
    tips_heatmap map = {.range = *range};
    TIPS_TRY(tips__new_zero(&map.agree, (size_t)tips__range_cells(range) * sizeof *map.agree, "a heat map"));
    *out = map;
    return TIPS_OK;
}

void tips__heatmap_clear(tips_heatmap *map) {
    tips__free(map->agree);
    *map = (tips_heatmap){0};
}

void tips__heatmap_add(tips_heatmap *map, const int *answers, int label) {
    const int cells = tips__range_cells(&map->range), usual = answers[tips__range_cell(&map->range, 0, 0)];
    bool same = true;
    for (int i = 0; i < cells; i++) {
        const bool agree = answers[i] == usual;
        map->agree[i] += agree;
        same = same && agree;
    }
    map->images++;
    map->always_same += same;
    map->always_right += same && usual == label;
}

double tips__heatmap_share(const tips_heatmap *map, int cell) {
    return map->images > 0 ? 100.0 * map->agree[cell] / map->images : NAN;
}
