/* Pictures one by one: in memory, in files, and against each other. */
#include "evaluate/picture_values.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"

#include <math.h>
#include <string.h>

static const char key[] = "per_picture";

static void name_rows(const tips_metric *task, tips_picture_values *v) {
    static const int common[] = {TIPS_METRIC_STANDARD_CONSISTENCY, TIPS_METRIC_STANDARD_FIDELITY};
    v->names[0] = task[tips__metric_main(task)].name;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++)
        for (int i = 0; i < 2; i++)
            v->names[1 + 2 * kind + i] = tips__common_metrics[common[i] + kind * TIPS_METRICS_PER_KIND].name;
}

tips_status tips__picture_values_create(const tips_metric *task, int images, tips_picture_values *out) {
    tips_picture_values v = {.images = images};
    name_rows(task, &v);
    for (int row = 0; row < TIPS_PICTURE_VALUES; row++) {
        const tips_status status = tips__new_zero(&v.of[row], (size_t)images * sizeof *v.of[row], "pictures' values");
        if (status != TIPS_OK) {
            tips__picture_values_clear(&v);
            return status;
        }
    }
    *out = v;
    return TIPS_OK;
}

void tips__picture_values_drop(tips_picture_values *v, int row) {
    tips__free(v->of[row]);
    v->of[row] = NULL;
}

void tips__picture_values_clear(tips_picture_values *v) {
    for (int row = 0; row < TIPS_PICTURE_VALUES; row++) tips__free(v->of[row]);
    *v = (tips_picture_values){0};
}

static bool is_whole(const double *values, int n) {
    for (int i = 0; i < n; i++)
        if (values[i] != 0 && values[i] != 1) return false;
    return true;
}

static void put_text(tips_json *json, const char *name, const double *values, int n) {
    tips_text text = {0};
    for (int i = 0; i < n; i++) tips__text_add_bytes(&text, values[i] > 0 ? "1" : "0", 1);
    if (tips__text_check(&text) == TIPS_OK) tips__json_text(json, name, text.data ? text.data : "");
    tips__text_clear(&text);
}

void tips__picture_values_put(tips_json *json, const tips_picture_values *v) {
    if (v->images == 0) return;
    tips__json_open_object(json, key);
    for (int row = 0; row < TIPS_PICTURE_VALUES; row++) {
        if (!v->of[row]) continue;
        if (is_whole(v->of[row], v->images)) {
            put_text(json, v->names[row], v->of[row], v->images);
            continue;
        }
        tips__json_open_array(json, v->names[row]);
        for (int i = 0; i < v->images; i++) tips__json_number(json, NULL, round(1e5 * v->of[row][i]) / 1e5);
        tips__json_close_array(json);
    }
    tips__json_close_object(json);
}

static int count_of(const tips_json_node *list) {
    if (!list) return 0;
    return list->kind == TIPS_JSON_TEXT ? (int)strlen(list->text) : list->kind == TIPS_JSON_ARRAY ? list->count : 0;
}

static bool read_row(const tips_json_node *list, int images, double *values) {
    int i = 0;
    if (count_of(list) != images) return false;
    if (list->kind == TIPS_JSON_TEXT)
        for (; i < images; i++) values[i] = list->text[i] == '1';
    else
        for (const tips_json_node *at = list->first; at; at = at->next)
            values[i++] = at->kind == TIPS_JSON_NUMBER ? at->number : NAN;
    return true;
}

tips_status tips__picture_values_read(const tips_json_node *evaluation, const tips_metric *task,
                                      tips_picture_values *out) {
    const tips_json_node *all = tips__json_get(evaluation, key);
    int images = 0;
    *out = (tips_picture_values){0};
    for (const tips_json_node *at = all ? all->first : NULL; at && images == 0; at = at->next) images = count_of(at);
    if (images == 0) return TIPS_OK;
    TIPS_TRY(tips__picture_values_create(task, images, out));
    for (int row = 0; row < TIPS_PICTURE_VALUES; row++)
        if (!read_row(tips__json_get(all, out->names[row]), images, out->of[row])) tips__picture_values_drop(out, row);
    return TIPS_OK;
}

bool tips__picture_values_differ(const tips_picture_values *first, const tips_picture_values *second, int row,
                                 tips_paired *out) {
    if (first->images == 0 || first->images != second->images || !first->of[row] || !second->of[row] ||
        strcmp(first->names[row], second->names[row]) != 0)
        return false;
    *out = tips__paired(first->of[row], second->of[row], first->images);
    return true;
}

void tips__picture_values_put_differences(tips_json *json, const tips_picture_values *first,
                                          const tips_picture_values *second) {
    for (int row = 0; row < TIPS_PICTURE_VALUES; row++) {
        tips_paired p;
        if (!tips__picture_values_differ(first, second, row, &p)) continue;
        tips__json_open_object(json, second->names[row]);
        tips__json_number(json, "value", p.difference.value);
        tips__json_number(json, "low", p.difference.low);
        tips__json_number(json, "high", p.difference.high);
        tips__json_int(json, "images", p.images);
        tips__json_int(json, "more", p.more);
        tips__json_int(json, "less", p.less);
        tips__json_close_object(json);
    }
}
