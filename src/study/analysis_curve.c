/* Figures over an axis, or two. */
#include "study/analysis.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/text_table.h"

#include <math.h>
#include <string.h>

tips_status tips__analyse_curve(tips_analysis_job *job);
tips_status tips__analyse_map(tips_analysis_job *job);

static bool are_numbers(const tips_groups *g) {
    double value;
    for (int k = 0; k < g->count; k++)
        if (!tips__number_parse(g->labels[k], &value)) return false;
    return true;
}

/* The number that a group of an axis is; its place where labels are no numbers. */
static double number_of(const tips_groups *g, int i, bool *parts) {
    double value;
    if (!are_numbers(g)) return i;
    (void)tips__number_parse(g->labels[i], &value);
    *parts |= value != floor(value);
    return value;
}

static tips_status need(const tips_analysis_job *job, const char *key, const char *value) {
    if (!value)
        TIPS_FAIL(TIPS_INVALID, "%s:%d: this analysis needs '%s'", job->study->grid.path, job->options->line, key);
    return TIPS_OK;
}

/* Points in the order of x: a line goes from left to right. */
static void sort_points(tips_chart_series *s) {
    for (int i = 1; i < s->count; i++)
        for (int k = i; k > 0 && s->x[k] < s->x[k - 1]; k--) {
            double *const all[] = {s->x, s->y, s->low, s->high};
            for (int n = 0; n < 4; n++) {
                const double held = all[n][k];
                all[n][k] = all[n][k - 1];
                all[n][k - 1] = held;
            }
        }
}

void tips__analysis_point(tips_json *json, const char *series, const char *x, tips_spread r) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "series", series);
    tips__json_text(json, "x", x);
    tips__json_number(json, "mean", r.mean);
    tips__json_number(json, "deviation", r.deviation);
    tips__json_int(json, "models", r.count);
    tips__json_close_object(json);
}

/* Below the axis. */
static tips_status name_places(const tips_groups *at, tips_made_chart *c) {
    if (are_numbers(at)) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&c->categories, (size_t)(at->count + 1) * sizeof *c->categories, "a chart"));
    for (int i = 0; i < at->count; i++) TIPS_TRY(tips__chart_keep(c, at->labels[i], &c->categories[i]));
    c->chart.categories = c->categories;
    c->chart.n_categories = at->count;
    return TIPS_OK;
}

static tips_status draw_curve(tips_analysis_job *job, const char *x, const char *y, const tips_groups *at,
                              const tips_groups *lines) {
    char title[TIPS_LABEL_SIZE];
    tips_made_chart *c;
    tips__value_title(job->study, y, title, sizeof title);
    TIPS_TRY(tips__analysis_chart(job, TIPS_CHART_LINES, title, x, title, lines->count, at->count, &c));
    c->chart.percent = tips__value_is_percent(job->study, y);
    TIPS_TRY(name_places(at, c));
    tips__json_open_array(job->json, y);
    for (int g = 0; g < lines->count; g++) {
        tips_chart_series *s = &c->series[g];
        s->look = g;
        if (lines->labels[g][0]) TIPS_TRY(tips__chart_keep(c, lines->labels[g], &s->name));
        for (int i = 0; i < at->count; i++) {
            const tips_spread r = tips__study_spread(job->study, y, at, i, lines, g);
            if (r.count == 0) continue;
            s->x[s->count] = number_of(at, i, &c->chart.x_parts);
            s->y[s->count] = r.mean;
            s->low[s->count] = isnan(r.deviation) ? r.mean : r.mean - r.deviation;
            s->high[s->count++] = isnan(r.deviation) ? r.mean : r.mean + r.deviation;
            tips__analysis_point(job->json, lines->labels[g], at->labels[i], r);
        }
        sort_points(s);
    }
    tips__json_close_array(job->json);
    return TIPS_OK;
}

static tips_status print_curves(const tips_analysis_job *job, const char *x, const char *y, const tips_groups *at,
                                const tips_groups *lines) {
    char title[TIPS_LABEL_SIZE];
    const char *columns[TIPS_MOST_NAMES + 2] = {x};
    char heads[TIPS_MOST_NAMES][2 * TIPS_LABEL_SIZE + 1];
    const int shown = lines->count < TIPS_MOST_NAMES ? lines->count : TIPS_MOST_NAMES;
    tips_text_table *table;
    tips__value_title(job->study, y, title, sizeof title);
    for (int g = 0; g < shown; g++) {
        snprintf(heads[g], sizeof heads[g], ">%s", lines->labels[g][0] ? lines->labels[g] : title);
        columns[g + 1] = heads[g];
    }
    TIPS_TRY(tips__table_create(columns, &table));
    for (int i = 0; i < at->count; i++) {
        tips__table_cell(table, "%s", at->labels[i]);
        for (int g = 0; g < shown; g++) {
            const tips_spread r = tips__study_spread(job->study, y, at, i, lines, g);
            if (r.count == 0) tips__table_cell(table, "-");
            else if (isnan(r.deviation)) tips__table_cell(table, "%.2f", r.mean);
            else tips__table_cell(table, "%.2f ± %.2f", r.mean, r.deviation);
        }
    }
    fprintf(job->text, "%s\n", title);
    const tips_status status = tips__table_print(table, job->text);
    fprintf(job->text, "\n");
    tips__table_destroy(table);
    return status;
}

tips_status tips__analyse_curve(tips_analysis_job *job) {
    const char *x = tips__analysis_name(job, "x", NULL);
    const tips_names y = tips__analysis_names(job, "y", "metric"), by = tips__analysis_names(job, "series", NULL);
    const tips_names over = {.name = {x}, .count = 1};
    tips_groups at, lines;
    TIPS_TRY(need(job, "x", x));
    TIPS_TRY(tips__study_group(job->study, &over, &at));
    tips_status status = tips__study_group(job->study, &by, &lines);
    if (status == TIPS_OK) {
        for (int i = 0; i < y.count && status == TIPS_OK; i++) {
            status = print_curves(job, x, y.name[i], &at, &lines);
            if (status == TIPS_OK) status = draw_curve(job, x, y.name[i], &at, &lines);
        }
        tips__groups_free(&lines);
    }
    tips__groups_free(&at);
    return status;
}

static tips_status fill_map(tips_analysis_job *job, const char *value, const tips_groups *columns,
                            const tips_groups *rows, tips_made_chart *c) {
    const char **names; /* of the rows, then of the columns */
    tips_chart *chart = &c->chart;
    TIPS_TRY(tips__new_zero(&c->categories, (size_t)(rows->count + columns->count + 1) * sizeof *names, "a chart"));
    names = c->categories;
    chart->low = INFINITY, chart->high = -INFINITY;
    for (int r = 0; r < rows->count; r++) TIPS_TRY(tips__chart_keep(c, rows->labels[r], &names[r]));
    for (int k = 0; k < columns->count; k++) TIPS_TRY(tips__chart_keep(c, columns->labels[k], &names[rows->count + k]));
    tips__json_open_array(job->json, "cells");
    for (int r = 0; r < rows->count; r++)
        for (int k = 0; k < columns->count; k++) {
            const tips_spread s = tips__study_spread(job->study, value, rows, r, columns, k);
            c->numbers[r * columns->count + k] = s.mean;
            chart->low = fmin(chart->low, s.mean), chart->high = fmax(chart->high, s.mean);
            tips__analysis_point(job->json, rows->labels[r], columns->labels[k], s);
        }
    tips__json_close_array(job->json);
    if (!(chart->high > chart->low)) chart->low -= 0.5, chart->high = chart->low + 1;
    chart->rows = rows->count, chart->columns = columns->count;
    chart->row_names = names, chart->column_names = names + rows->count;
    chart->cells = c->numbers;
    chart->n_series = 0;
    return TIPS_OK;
}

static tips_status show_map(tips_analysis_job *job, const char *value, const char *x, const char *y,
                            const tips_groups *columns, const tips_groups *rows) {
    char title[TIPS_LABEL_SIZE];
    tips_made_chart *c;
    tips__value_title(job->study, value, title, sizeof title);
    TIPS_TRY(print_curves(job, y, value, rows, columns));
    TIPS_TRY(tips__analysis_chart(job, TIPS_CHART_HEAT, title, x, y, 1, rows->count * columns->count, &c));
    return fill_map(job, value, columns, rows, c);
}

tips_status tips__analyse_map(tips_analysis_job *job) {
    const char *x = tips__analysis_name(job, "x", NULL), *y = tips__analysis_name(job, "y", NULL);
    const tips_names values = tips__analysis_names(job, "value", "metric");
    const tips_names across = {.name = {x}, .count = 1}, down = {.name = {y}, .count = 1};
    tips_groups columns, rows;
    TIPS_TRY(need(job, "x", x));
    TIPS_TRY(need(job, "y", y));
    TIPS_TRY(tips__study_group(job->study, &across, &columns));
    tips_status status = tips__study_group(job->study, &down, &rows);
    if (status == TIPS_OK) {
        for (int i = 0; i < values.count && status == TIPS_OK; i++) {
            tips__json_open_object(job->json, values.name[i]);
            status = show_map(job, values.name[i], x, y, &columns, &rows);
            tips__json_close_object(job->json);
        }
        tips__groups_free(&rows);
    }
    tips__groups_free(&columns);
    return status;
}
