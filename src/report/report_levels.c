/* Consistency by the size of the shift: room for it, and means over a heat map where it was not measured. */
#include "report/report_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>

tips_status tips__report_new_levels(tips_report_shift *s, int count) {
    TIPS_TRY(tips__new_zero(&s->sizes, (size_t)count * sizeof *s->sizes, "shift sizes"));
    return tips__new_zero(&s->levels, (size_t)count * sizeof *s->levels, "shift sizes");
}

tips_figure tips__report_rest(tips_figure stay) {
    return (tips_figure){100 - stay.value, 100 - stay.high, 100 - stay.low};
}

static int larger(int a, int b) { return a > b ? a : b; }

static int largest_shift(const tips_report_shift *s) {
    int most = 0;
    for (int axis = 0; axis < 2; axis++) most = larger(most, larger(abs(s->low[axis]), abs(s->high[axis])));
    return most;
}

tips_status tips__report_levels_from_map(tips_report_shift *s) {
    const int most = largest_shift(s);
    TIPS_TRY(tips__report_new_levels(s, most));
    for (int size = 1; size <= most; size++) {
        double sum = 0;
        int count = 0;
        const double *cell = s->cells;
        for (int dy = s->low[0]; dy <= s->high[0]; dy++)
            for (int dx = s->low[1]; dx <= s->high[1]; dx++, cell++)
                if (larger(abs(dy), abs(dx)) == size) sum += *cell, count++;
        if (count == 0) continue;
        s->sizes[s->n_levels] = size;
        s->levels[s->n_levels++] = tips__figure_plain(sum / count);
    }
    s->levels_from_map = true;
    return TIPS_OK;
}
