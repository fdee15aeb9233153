/* The result of `tips eval` as tables. */
#include "eval_print.h"

#include "core/text_table.h"

#include <math.h>

enum { WIDEST_MAP = 16 };

static void heading(const tips_evaluate_result *r, FILE *file) {
    const tips_shift_protocol *p = r->protocol;
    fprintf(file, "%s (%s), %s, %d pictures; protocol %s: %s; %d pair%s a picture, seed %d\n", r->data, r->format,
            r->split, r->models[0].images, p->name, p->brief, r->pairs, r->pairs == 1 ? "" : "s", r->seed);
    if (r->val_is_test) fputs("The validation data is the test set: models were chosen on it.\n", file);
    if (r->skipped > 0) fprintf(file, "%d unreadable pictures were left out.\n", r->skipped);
}

static void describe(const tips_model_result *m, FILE *file) {
    fprintf(file, "%s: %s, pool %s", m->name, m->arch, m->pool);
    if (m->lpf) fprintf(file, " after LPF-%d", m->lpf);
    fprintf(file, ", %s padding, input %dx%dx%d%s\n\n", m->padding, m->channels, m->size[0], m->size[1],
            m->is_random ? ", random weights" : "");
}

static void figure_cells(tips_text_table *table, tips_figure figure) {
    if (isnan(figure.value)) {
        tips__table_cell(table, "-");
        tips__table_cell(table, "-");
        return;
    }
    tips__table_cell(table, "%.2f", figure.value);
    tips__table_cell(table, "%.2f..%.2f", figure.low, figure.high);
}

static void row(tips_text_table *table, const char *name, tips_figure figure) {
    tips__table_cell(table, "%s", name);
    figure_cells(table, figure);
}

static void plain_row(tips_text_table *table, const char *name, double value) {
    tips__table_cell(table, "%s", name);
    tips__table_cell(table, "%.2f", value);
    tips__table_cell(table, "-");
}

static void shift_rows(tips_text_table *table, int kind, const tips_shift_result *s) {
    const char *name = tips__kind_names[kind];
    char text[64];
    snprintf(text, sizeof text, "%s consistency", name);
    row(table, text, s->consistency);
    snprintf(text, sizeof text, "%s fidelity", name);
    row(table, text, s->fidelity);
    snprintf(text, sizeof text, "%s accuracy x consistency", name);
    plain_row(table, text, s->product);
    if (s->heatmap.images == 0) return;
    snprintf(text, sizeof text, "%s, same under all %d shifts", name, tips__range_cells(&s->heatmap.range));
    row(table, text, s->worst_consistency);
    snprintf(text, sizeof text, "%s, right under all %d shifts", name, tips__range_cells(&s->heatmap.range));
    row(table, text, s->worst_accuracy);
}

static tips_status finish(tips_text_table *table, FILE *file) {
    const tips_status status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static tips_status print_figures(const tips_model_result *m, FILE *file) {
    static const char *const columns[] = {"metric", ">percent", ">95 % interval", NULL};
    tips_text_table *table;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    row(table, "accuracy (top-1)", m->accuracy);
    row(table, "accuracy (top-5)", m->top5);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) shift_rows(table, kind, &m->shift[kind]);
    row(table, "MSB", m->msb);
    row(table, "MSB, nontrivial windows", m->msb_nontrivial);
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
        figure_cells(table, m->layers[i].msb);
        figure_cells(table, m->layers[i].nontrivial);
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
        figure_cells(table, s->levels[i].consistency);
        figure_cells(table, s->levels[i].fidelity);
    }
    fprintf(file, "\nby size, %s shifts:\n", tips__kind_names[kind]);
    return finish(table, file);
}

/* Maps that fit on a screen; larger ones are in the JSON. */
static void print_heatmap(int kind, const tips_shift_result *s, FILE *file) {
    const tips_heatmap *map = &s->heatmap;
    const tips_shift_range *range = &map->range;
    if (map->images == 0 || range->high[1] - range->low[1] >= WIDEST_MAP ||
        range->high[0] - range->low[0] >= WIDEST_MAP)
        return;
    fprintf(file, "\n%s shifts, percent of %d pictures with the answer of (0, 0); dy down, dx across\n     ",
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
    if (status == TIPS_OK) status = print_layers(m, file);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS && status == TIPS_OK; kind++)
        status = print_levels(kind, &m->shift[kind], file);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS && status == TIPS_OK; kind++) print_heatmap(kind, &m->shift[kind], file);
    return status;
}

static void value_cell(tips_text_table *table, double value) {
    if (isnan(value)) tips__table_cell(table, "-");
    else tips__table_cell(table, "%.2f", value);
}

static void compare_row(tips_text_table *table, const tips_model_result *m) {
    tips__table_cell(table, "%s", m->name);
    tips__table_cell(table, "%s", m->pool);
    value_cell(table, m->accuracy.value);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        value_cell(table, m->shift[kind].consistency.value);
        value_cell(table, m->shift[kind].fidelity.value);
        value_cell(table, m->shift[kind].product);
        value_cell(table, m->shift[kind].worst_consistency.value);
    }
    value_cell(table, m->msb.value);
    value_cell(table, m->msb_nontrivial.value);
}

static tips_status print_several(const tips_evaluate_result *r, FILE *file) {
    static const char *const columns[] = {"model",       "pool",       ">accuracy",   ">std cons", ">std fid",
                                          ">acc x cons", ">std worst", ">circ cons",  ">circ fid", ">acc x cons",
                                          ">circ worst", ">MSB",       ">nontrivial", NULL};
    tips_text_table *table;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_models; i++) compare_row(table, &r->models[i]);
    fputc('\n', file);
    return finish(table, file);
}

tips_status cli_print_eval(const tips_evaluate_result *r, FILE *file) {
    heading(r, file);
    return r->n_models == 1 ? print_one(&r->models[0], file) : print_several(r, file);
}
