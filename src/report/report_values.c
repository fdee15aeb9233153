/* From the JSON of an evaluation to the values of a report. */
#include "report/report_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"

#include <math.h>

/* An object, or the value alone. */
static tips_figure value_of(const tips_json_node *object, const char *key) {
    const tips_json_node *figure = tips__json_get(object, key);
    if (figure && figure->kind == TIPS_JSON_NUMBER) return tips__figure_plain(figure->number);
    return (tips_figure){tips__json_get_number(figure, "value"), tips__json_get_number(figure, "low"),
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

static tips_status read_levels(const tips_json_node *levels, tips_report_shift *s) {
    TIPS_TRY(tips__report_new_levels(s, levels->count));
    for (const tips_json_node *level = levels->first; level; level = level->next) {
        s->sizes[s->n_levels] = tips__json_get_int(level, "size", s->n_levels + 1);
        s->levels[s->n_levels++] = value_of(level, "consistency");
    }
    return TIPS_OK;
}

/* As one_pixel_of in report_result.c. */
static tips_figure read_one_pixel(const tips_json_node *node, const char *kind) {
    const tips_json_node *set = tips__json_get(tips__json_get(node, "set_levels"), kind);
    const tips_json_node *level = tips__json_get(tips__json_get(node, "levels"), kind);
    if (set && set->first) return value_of(set->first, "vanishing");
    return level && level->first ? tips__report_rest(value_of(level->first, "consistency")) : tips__figure_none();
}

static tips_status read_shift(const tips_json_node *node, const char *kind, tips_report_shift *s) {
    const tips_json_node *map = tips__json_get(tips__json_get(node, "heatmap"), kind);
    const tips_json_node *levels = tips__json_get(tips__json_get(node, "levels"), kind);
    s->one_pixel = read_one_pixel(node, kind);
    if (map) TIPS_TRY(read_cells(map, s));
    if (levels && levels->count > 1) return read_levels(levels, s);
    return map ? tips__report_levels_from_map(s) : TIPS_OK;
}

/* Those of the heat map are in its object, without the kind of shift in their names. */
static tips_figure read_figure(const tips_json_node *node, const tips_metric *metric) {
    if (metric->need != TIPS_NEEDS_HEATMAP) return value_of(node, metric->name);
    return value_of(tips__json_get(tips__json_get(node, "heatmap"), tips__kind_names[metric->kind]),
                    tips__metric_base(metric));
}

static tips_figures read_figures(const tips_json_node *node, const tips_metric *task) {
    tips_figures f = tips__figures_none(task);
    for (int i = 0; task[i].name; i++) f.own[i] = read_figure(node, &task[i]);
    for (int i = 0; i < TIPS_COMMON_METRICS; i++) f.common[i] = read_figure(node, &tips__common_metrics[i]);
    return f;
}

static tips_status read_layers(const tips_json_node *node, tips_report_evaluation *e) {
    const tips_json_node *layers = tips__json_get(node, "layers");
    if (!layers || layers->count == 0) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&e->layers, (size_t)layers->count * sizeof *e->layers, "layers"));
    for (const tips_json_node *layer = layers->first; layer; layer = layer->next) {
        tips_report_layer *l = &e->layers[e->n_layers++];
        TIPS_TRY(tips__report_copy(tips__json_get_text(layer, "name", "?"), &l->name));
        l->msb = value_of(layer, tips__common_metrics[TIPS_METRIC_MSB].name);
        l->nontrivial = value_of(layer, tips__common_metrics[TIPS_METRIC_MSB_NONTRIVIAL].name);
    }
    return TIPS_OK;
}

static tips_status read_remarks(const tips_json_node *list, tips_report_evaluation *e) {
    tips_text all = {0};
    for (const tips_json_node *one = list ? list->first : NULL; one; one = one->next)
        if (one->text) tips__text_print(&all, "%s%s", all.length ? " " : "", one->text);
    e->remarks = all.data;
    return tips__text_check(&all);
}

tips_status tips__report_take_json(const tips_json_node *node, tips_report_evaluation *e) {
    tips_task_spec spec;
    TIPS_TRY(tips__task_parse(tips__json_get_text(node, "task", NULL), &spec));
    const tips_metric *task = spec.task->metrics;
    e->figures = read_figures(node, task);
    if (isnan(e->figures.own[tips__metric_main(task)].value) || !tips__json_get_text(node, "protocol", NULL))
        TIPS_FAIL(TIPS_FORMAT, "is not what tips eval --json writes: it has no %s or no protocol",
                  task[tips__metric_main(task)].name);
    TIPS_TRY(tips__picture_values_read(node, task, &e->each));
    e->images = tips__json_get_int(node, "images", 0);
    e->pairs = tips__json_get_int(node, "pairs", 1);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++)
        TIPS_TRY(read_shift(node, tips__kind_names[kind], &e->shift[kind]));
    TIPS_TRY(read_layers(node, e));
    TIPS_TRY(read_remarks(tips__json_get(node, "remarks"), e));
    TIPS_TRY(tips__report_copy(tips__json_get_text(node, "border", NULL), &e->border));
    TIPS_TRY(tips__report_copy(tips__json_get_text(node, "command", NULL), &e->command));
    TIPS_TRY(tips__report_copy(tips__json_get_text(node, "split", "test"), &e->split));
    TIPS_TRY(tips__report_copy(tips__json_get_text(node, "protocol", ""), &e->protocol));
    return tips__report_copy(tips__json_get_text(node, "data", ""), &e->data);
}
