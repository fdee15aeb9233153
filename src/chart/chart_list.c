/* Charts that own what they are made of. */
#include "chart/chart_list.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

static void free_chart(tips_made_chart *c) {
    if (!c) return;
    tips__free(c->series);
    tips__free(c->numbers);
    tips__free(c->categories);
    tips__free(c->looks);
    for (int i = 0; i < c->n_texts; i++) tips__free(c->texts[i]);
    tips__free(c->texts);
    tips__free(c);
}

void tips__chart_list_free(tips_chart_list *list) {
    for (int i = 0; i < list->count; i++) free_chart(list->charts[i]);
    tips__free(list->charts);
    *list = (tips_chart_list){0};
}

tips_status tips__chart_keep(tips_made_chart *c, const char *text, const char **out) {
    const size_t bytes = (size_t)c->n_texts * sizeof *c->texts;
    char **longer = tips__grow(c->texts, bytes, bytes + sizeof *longer);
    if (longer) c->texts = longer;
    char *copy = longer ? tips__strdup(text) : NULL;
    if (!copy) TIPS_FAIL(TIPS_MEMORY, "out of memory for charts");
    *out = c->texts[c->n_texts++] = copy;
    return TIPS_OK;
}

static tips_status fill(tips_made_chart *c, int series, int points) {
    const size_t each = 4 * (size_t)points;
    TIPS_TRY(tips__new_zero(&c->series, (size_t)series * sizeof *c->series, "a chart"));
    TIPS_TRY(tips__new(&c->numbers, (size_t)series * each * sizeof *c->numbers, "a chart"));
    for (size_t i = 0; i < (size_t)series * each; i++) c->numbers[i] = NAN;
    for (int s = 0; s < series; s++) {
        double *at = c->numbers + (size_t)s * each;
        c->series[s] = (tips_chart_series){.x = at, .y = at + points, .low = at + 2 * points, .high = at + 3 * points};
    }
    return TIPS_OK;
}

static tips_status make_room(tips_chart_list *list) {
    if (list->count < list->capacity) return TIPS_OK;
    const size_t old = (size_t)list->capacity, more = old ? 2 * old : 16;
    tips_made_chart **charts = tips__grow(list->charts, old * sizeof *charts, more * sizeof *charts);
    if (!charts) TIPS_FAIL(TIPS_MEMORY, "out of memory for charts");
    list->charts = charts;
    list->capacity = (int)more;
    return TIPS_OK;
}

tips_status tips__chart_list_add(tips_chart_list *list, int group, int set, int series, int points,
                                 tips_made_chart **out) {
    tips_made_chart *c;
    TIPS_TRY(make_room(list));
    TIPS_TRY(tips__new_zero(&c, sizeof *c, "a chart"));
    const tips_status status = fill(c, series, points);
    if (status != TIPS_OK) {
        free_chart(c);
        return status;
    }
    c->group = group;
    c->set = set;
    c->chart = (tips_chart){
        .name = c->name, .title = c->title, .description = c->description, .series = c->series, .n_series = series};
    list->charts[list->count++] = c;
    *out = c;
    return TIPS_OK;
}
