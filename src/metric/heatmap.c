/* Counting agreement over a grid of shifts. */
#include "metric/heatmap.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

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

tips_agreement tips__heatmap_add(tips_heatmap *map, const tips_answers *answers, int first) {
    const int cells = tips__range_cells(&map->range), usual = first + tips__range_cell(&map->range, 0, 0);
    tips_agreement worst = {1, 1};
    for (int i = 0; i < cells; i++) {
        const tips_agreement one = answers->compare(answers->context, first + i, usual);
        map->agree[i] += one.agree;
        worst = (tips_agreement){fmin(worst.agree, one.agree), fmin(worst.right, one.right)};
    }
    map->images++;
    return worst;
}

double tips__heatmap_share(const tips_heatmap *map, int cell) {
    return map->images > 0 ? 100.0 * map->agree[cell] / map->images : NAN;
}
