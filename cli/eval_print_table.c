/* The result of `tips eval` as tables. */
#include "columns.h"

#include "cli.h"
#include "eval_print.h"
#include "figure_cells.h"

#include "core/text_table.h"
#include "evaluate/evaluate_remarks.h"

#include <math.h>
#include <string.h>

enum { WIDEST_MAP = 16 };

static void heading(const tips_evaluate_result *r, FILE *file) {
    const tips_shift_protocol *p = r->protocol;
    char words[512];
    fprintf(file, "%s (%s), %s, %d pictures; protocol %s: %s; %d pair%s a picture, seed %d\n", cli_shown(r->data),
            r->format, r->split, r->models[0].images, p->name, p->brief, r->pairs, r->pairs == 1 ? "" : "s", r->seed);
    tips__pictures_words(&r->models[0].pictures, cli_shown(tips__evaluate_data(r)), words, sizeof words);
    fprintf(file, "Figures are of %s.\n", words);
    if (r->val_is_test) fputs("The validation data is the test set: models were chosen on it.\n", file);
    if (r->skipped > 0) fprintf(file, "%d unreadable pictures were left out.\n", r->skipped);
}

static void describe(const tips_model_result *m, FILE *file) {
    char words[512];
    fprintf(file, "%s: %s, pool %s", cli_shown(m->name), m->arch, m->pool);
    if (m->lpf) fprintf(file, " after LPF-%d", m->lpf);
    fprintf(file, ", %s padding, input %dx%dx%d%s\n", m->padding, m->channels, m->size[0], m->size[1],
            m->is_random ? ", random weights" : "");
    tips__input_words(&m->input, words, sizeof words);
    fprintf(file, "Input: %s, %s.\n", words, tips__input_origin_words[tips__input_origin(&m->input)]);
    tips__class_map_words(&m->class_map, words, sizeof words);
    cli_put_shown(words, strlen(words), file);
    fputs("\n\n", file);
}

/* The five best of five classes or fewer. */
static bool means_nothing(const tips_model_result *m, const tips_metric *metric, int i) {
    const bool is_class = !isnan(m->frequent.answer) && !m->frequent.of_pixels;
    return is_class && metric->need == TIPS_NEEDS_NOTHING && isnan(tips__figure_at(&m->figures, i).value);
}

static void metric_row(tips_text_table *table, const tips_model_result *m, const tips_metric *metric, int i) {
    const tips_heatmap *map = metric->kind < TIPS_SHIFT_KINDS ? &m->shift[metric->kind].heatmap : NULL;
    char label[CLI_HEADING];
    if (!metric->label || (metric->need == TIPS_NEEDS_HEATMAP && map->images == 0)) return;
    if (metric->need == TIPS_NEEDS_SET_SHIFTS && m->set_shifts == 0) return;
    if (means_nothing(m, metric, i)) return;
    tips__metric_label(metric, map ? tips__range_cells(&map->range) : 0, label, sizeof label);
    tips__table_cell(table, "%s", label);
    cli_figure_cells(table, tips__figure_at(&m->figures, i));
    tips__table_cell(table, "%d", metric->need == TIPS_NEEDS_HEATMAP ? map->images : m->images);
}

static tips_status finish(tips_text_table *table, FILE *file) {
    const tips_status status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static tips_status print_figures(const tips_model_result *m, FILE *file) {
    static const char *const columns[] = {"metric", ">percent", ">95 % interval", ">pictures", NULL};
    const tips_metric *metric;
    tips_text_table *table;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; (metric = tips__metric_at(m->figures.task, i)); i++) metric_row(table, m, metric, i);
    return finish(table, file);
}

static tips_status print_classes(const tips_model_result *m, FILE *file) {
    char heading_text[CLI_HEADING];
    const char *const columns[] = {"class", heading_text, ">95 % interval", NULL};
    tips_text_table *table;
    if (!m->classes_own) return TIPS_OK;
    snprintf(heading_text, sizeof heading_text, ">%s, %%", m->class_metric);
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < m->classes; i++) {
        tips__table_cell(table, "%s", m->classes_own[i].name);
        cli_figure_cells(table, m->classes_own[i].figure);
    }
    fputc('\n', file);
    return finish(table, file);
}

static tips_status print_layers(const tips_model_result *m, FILE *file) {
    static const char *const columns[] = {"layer", ">MSB", ">95 % interval", ">nontrivial", ">95 % interval", NULL};
    tips_text_table *table;
    if (m->n_layers == 0) return TIPS_OK;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < m->n_layers; i++) {
        tips__table_cell(table, "%s", m->layers[i].name);
        cli_figure_cells(table, m->layers[i].msb);
        cli_figure_cells(table, m->layers[i].nontrivial);
    }
    fputc('\n', file);
    return finish(table, file);
}

static tips_status print_levels(int kind, const tips_shift_result *s, FILE *file) {
    static const char *const columns[] = {">shift size", ">consistency",   ">95 % interval",
                                          ">fidelity",   ">95 % interval", NULL};
    tips_text_table *table;
    if (s->n_levels == 0) return TIPS_OK;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < s->n_levels; i++) {
        tips__table_cell(table, "%d", s->levels[i].size);
        cli_figure_cells(table, s->levels[i].consistency);
        cli_figure_cells(table, s->levels[i].fidelity);
    }
    fprintf(file, "\nby size, %s shifts:\n", tips__kind_names[kind]);
    return finish(table, file);
}

/* Of the task's own figures those that pages show. */
static bool is_by_size(const tips_metric *metric, int kind) {
    return metric->need == TIPS_NEEDS_SET_SHIFTS && metric->kind == kind && metric->title;
}

static tips_status print_set_levels(int kind, const tips_model_result *m, FILE *file) {
    const tips_metric *task = m->figures.task;
    const tips_shift_result *s = &m->shift[kind];
    cli_columns columns = {.count = 0};
    tips_text_table *table;
    if (s->n_set_levels == 0) return TIPS_OK;
    cli_add_number_column(&columns, "shift size");
    for (int k = 0; task[k].name; k++) {
        if (!is_by_size(&task[k], kind)) continue;
        cli_add_number_column(&columns, tips__metric_base(&task[k]));
        cli_add_number_column(&columns, "95 % interval");
    }
    const tips_status status = tips__table_create(columns.names, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < s->n_set_levels; i++) {
        tips__table_cell(table, "%d", s->set_levels[i].size);
        for (int k = 0; task[k].name; k++)
            if (is_by_size(&task[k], kind)) cli_figure_cells(table, s->set_levels[i].own[k]);
    }
    fprintf(file, "\nunder common %s shifts, by size:\n", tips__kind_names[kind]);
    return finish(table, file);
}

/* Maps that fit on a screen; larger ones are in the JSON. */
static void print_heatmap(int kind, const tips_shift_result *s, FILE *file) {
    const tips_heatmap *map = &s->heatmap;
    const tips_shift_range *range = &map->range;
    if (map->images == 0 || range->high[1] - range->low[1] >= WIDEST_MAP ||
        range->high[0] - range->low[0] >= WIDEST_MAP)
        return;
    fprintf(file, "\n%s shifts, percent of the answers to (0, 0) that stay, %d pictures; dy down, dx across\n     ",
            tips__kind_names[kind], map->images);
    for (int dx = range->low[1]; dx <= range->high[1]; dx++) fprintf(file, " %5d", dx);
    fputc('\n', file);
    for (int dy = range->low[0]; dy <= range->high[0]; dy++) {
        fprintf(file, "%5d", dy);
        for (int dx = range->low[1]; dx <= range->high[1]; dx++)
            fprintf(file, " %5.1f", tips__heatmap_share(map, tips__range_cell(range, dy, dx)));
        fputc('\n', file);
    }
}

static tips_status print_one(const tips_model_result *m, FILE *file) {
    describe(m, file);
    tips_status status = print_figures(m, file);
    if (status == TIPS_OK) status = print_classes(m, file);
    if (status == TIPS_OK) status = print_layers(m, file);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS && status == TIPS_OK; kind++)
        status = print_levels(kind, &m->shift[kind], file);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS && status == TIPS_OK; kind++) status = print_set_levels(kind, m, file);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS && status == TIPS_OK; kind++) print_heatmap(kind, &m->shift[kind], file);
    return status;
}

static void model_row(tips_text_table *table, const tips_model_result *m) {
    const tips_metric *metric;
    tips__table_cell(table, "%s", m->name);
    tips__table_cell(table, "%s", m->pool);
    for (int i = 0; (metric = tips__metric_at(m->figures.task, i)); i++)
        if (metric->heading) cli_value_cell(table, tips__figure_at(&m->figures, i).value);
}

static tips_status print_several(const tips_evaluate_result *r, FILE *file) {
    cli_columns columns = {.count = 0};
    const tips_metric *metric;
    tips_text_table *table;
    cli_add_column(&columns, "model");
    cli_add_column(&columns, "pool");
    for (int i = 0; (metric = tips__metric_at(r->models[0].figures.task, i)); i++)
        if (metric->heading) cli_add_number_column(&columns, metric->heading);
    const tips_status status = tips__table_create(columns.names, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_models; i++) model_row(table, &r->models[i]);
    fputc('\n', file);
    return finish(table, file);
}

static bool can_differ(const tips_evaluate_result *r, int row) {
    tips_paired p;
    for (int i = 1; i < r->n_models; i++)
        if (tips__picture_values_differ(&r->models[0].each, &r->models[i].each, row, &p)) return true;
    return false;
}

static void add_differences(tips_text_table *table, const tips_evaluate_result *r, int i) {
    tips__table_cell(table, "%s", r->models[i].name);
    for (int row = 0; row < TIPS_PICTURE_VALUES; row++) {
        tips_paired p = {.difference = tips__figure_none()};
        if (!can_differ(r, row)) continue;
        (void)tips__picture_values_differ(&r->models[0].each, &r->models[i].each, row, &p);
        cli_difference_cell(table, p.difference);
    }
}

/* From the first model, on the pictures that both answered. */
static tips_status print_differences(const tips_evaluate_result *r, FILE *file) {
    cli_columns columns = {.count = 0};
    tips_text_table *table;
    cli_add_column(&columns, "model");
    for (int row = 0; row < TIPS_PICTURE_VALUES; row++)
        if (can_differ(r, row)) cli_add_number_column(&columns, r->models[0].each.names[row]);
    if (columns.count < 2) return TIPS_OK;
    const tips_status status = tips__table_create(columns.names, &table);
    if (status != TIPS_OK) return status;
    for (int i = 1; i < r->n_models; i++) add_differences(table, r, i);
    fprintf(file, "\nPoints more than %s, on the same %d pictures, with 95 %% intervals of the differences\n",
            r->models[0].name, r->models[0].each.images);
    return finish(table, file);
}

/* Of several models by name. */
static void print_remarks(const tips_evaluate_result *r, FILE *file) {
    char text[TIPS_REMARK_SIZE];
    for (int k = 0; k < r->n_models; k++)
        for (int i = 0; tips__evaluate_remark(&r->models[k], i, text); i++) {
            if (r->several) fprintf(file, "%s: ", cli_shown(r->models[k].name));
            cli_put_shown(text, strlen(text), file);
            fputc('\n', file);
        }
    if (r->interrupted && !r->models[r->n_models - 1].interrupted)
        fprintf(file, "Interrupted: %d models were evaluated.\n", r->n_models);
}

tips_status cli_print_eval(const tips_evaluate_result *r, FILE *file) {
    heading(r, file);
    print_remarks(r, file);
    if (r->n_models == 1 && !r->several) return print_one(&r->models[0], file);
    const tips_status status = print_several(r, file);
    return status == TIPS_OK ? print_differences(r, file) : status;
}
