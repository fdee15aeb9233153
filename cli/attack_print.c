/* The result of attacks and corruptions as tables. */
#include "attack_print.h"

#include "attack/attack_json.h"
#include "core/text_table.h"

#include <math.h>

static void value_cell(tips_text_table *table, double value) {
    if (isnan(value)) tips__table_cell(table, "-");
    else tips__table_cell(table, "%.2f", value);
}

static void case_row(tips_text_table *table, const char *name, const tips_figures *f) {
    static const tips_common_metric shown[] = {TIPS_METRIC_STANDARD_CONSISTENCY, TIPS_METRIC_STANDARD_FIDELITY,
                                               TIPS_METRIC_CIRCULAR_CONSISTENCY, TIPS_METRIC_CIRCULAR_FIDELITY};
    const tips_figure main = f->own[tips__metric_main(f->task)];
    tips__table_cell(table, "%s", name);
    value_cell(table, main.value);
    if (isnan(main.low)) tips__table_cell(table, "-");
    else tips__table_cell(table, "%.2f..%.2f", main.low, main.high);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) value_cell(table, f->common[shown[i]].value);
}

static tips_status finish(tips_text_table *table, FILE *file) {
    const tips_status status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static tips_status print_cases(const tips_attack_result *r, FILE *file) {
    char main[64];
    const tips_metric *task = r->clean_figures.task;
    snprintf(main, sizeof main, ">%s", task[tips__metric_main(task)].name);
    const char *const columns[] = {"pictures", main,         ">95 % interval", ">std cons",
                                   ">std fid", ">circ cons", ">circ fid",      NULL};
    tips_text_table *table;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    case_row(table, "clean", &r->clean_figures);
    for (int i = 0; i < r->done; i++) case_row(table, r->plan.cases[i].name, &r->figures[i]);
    return finish(table, file);
}

static bool was_measured(const tips_corruption_result *row) {
    for (int s = 0; s < TIPS_SEVERITIES; s++)
        if (!isnan(row->error[s])) return true;
    return false;
}

static tips_status print_corruptions(const tips_attack_result *r, FILE *file) {
    static const char *const columns[] = {"error of", ">1", ">2", ">3", ">4", ">5", ">mean", ">CE", NULL};
    const bool has_ce = r->summary.counted > 0;
    tips_text_table *table;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < TIPS_CORRUPTIONS; i++) {
        const tips_corruption_result *row = &r->summary.rows[i];
        if (!was_measured(row)) continue;
        tips__table_cell(table, "%s", tips__corruptions[i].name);
        for (int s = 0; s < TIPS_SEVERITIES; s++) value_cell(table, row->error[s]);
        value_cell(table, row->mean);
        value_cell(table, has_ce ? row->ce : NAN);
    }
    fputc('\n', file);
    return finish(table, file);
}

static void print_groups(const double *groups, FILE *file) {
    const char *between = ";";
    for (int g = 0; g < TIPS_CORRUPT_GROUPS; g++) {
        if (isnan(groups[g])) continue;
        fprintf(file, "%s %s %.2f", between, tips__corruption_groups[g], groups[g]);
        between = ",";
    }
    fputc('\n', file);
}

static void print_summary(const tips_attack_result *r, FILE *file) {
    const tips_corruption_summary *s = &r->summary;
    if (s->measured > 0) {
        fprintf(file, "\nmean error over %d corruption%s: %.2f", s->measured, s->measured == 1 ? "" : "s", s->error);
        print_groups(s->groups, file);
    }
    if (s->counted > 0) {
        fprintf(file, "mCE over %d corruptions: %.2f, relative %.2f", s->counted, s->mce, s->relative);
        print_groups(s->group_mce, file);
    }
    fprintf(file, "%s\n", tips__attack_not_comparable);
    if (!r->plan.with_frost && !isnan(s->rows[tips__corruption_find("frost")].mean))
        fputs("Frost is a texture made here, and not in mCE; --frost DIR takes pictures of it.\n", file);
}

tips_status cli_print_attack(const tips_attack_result *r, FILE *file) {
    bool corrupts = false;
    tips_status status = print_cases(r, file);
    for (int i = 0; i < r->done; i++) corrupts = corrupts || r->plan.cases[i].corruption >= 0;
    if (status == TIPS_OK && corrupts) status = print_corruptions(r, file);
    if (status == TIPS_OK && corrupts) print_summary(r, file);
    if (r->interrupted)
        fprintf(file, "Interrupted: %d of %d kinds of pictures were measured.\n", r->done, r->plan.count);
    return status;
}
