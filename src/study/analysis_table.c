/* Means and deviations, and how settings differ: table, ablation. */
#include "study/analysis.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/text_table.h"
#include "metric/interval.h"

#include <math.h>
#include <string.h>

tips_status tips__analyse_table(tips_analysis_job *job);
tips_status tips__analyse_ablation(tips_analysis_job *job);

static const char usual_rows[] = "pool";

/* What a table shows if nothing is said. */
static tips_names figures(const tips_analysis_job *job) {
    tips_names y = tips__analysis_names(job, "y", NULL);
    static const char *const usual[] = {
        "metric", "standard_consistency", "standard_fidelity", "circular_consistency", "circular_fidelity", "msb"};
    if (y.count) return y;
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) y.name[y.count++] = usual[i];
    return y;
}

static void put_spread(const tips_analysis_job *job, tips_text_table *table, const char *value, tips_spread r) {
    if (isnan(r.mean)) tips__table_cell(table, "-");
    else if (isnan(r.deviation)) tips__table_cell(table, "%.2f", r.mean);
    else tips__table_cell(table, "%.2f ± %.2f", r.mean, r.deviation);
    tips__json_open_object(job->json, value);
    tips__json_number(job->json, "mean", r.mean);
    tips__json_number(job->json, "deviation", r.deviation);
    tips__json_int(job->json, "models", r.count);
    tips__json_close_object(job->json);
}

static tips_status make_table(const tips_analysis_job *job, const char *first, const tips_names *y,
                              tips_text_table **out) {
    char titles[TIPS_MOST_NAMES][TIPS_LABEL_SIZE];
    const char *columns[TIPS_MOST_NAMES + 3] = {first, ">models"};
    for (int i = 0; i < y->count; i++) {
        titles[i][0] = '>';
        tips__value_title(job->study, y->name[i], titles[i] + 1, sizeof titles[i] - 1);
        columns[i + 2] = titles[i];
    }
    return tips__table_create(columns, out);
}

static tips_status print_means(const tips_analysis_job *job, const char *first, const tips_names *y,
                               const tips_groups *rows) {
    tips_text_table *table;
    TIPS_TRY(make_table(job, first, y, &table));
    tips__json_open_array(job->json, "rows");
    for (int row = 0; row < rows->count; row++) {
        tips__json_open_object(job->json, NULL);
        tips__json_text(job->json, "row", rows->labels[row]);
        tips__table_cell(table, "%s", rows->labels[row]);
        tips__table_cell(table, "%d", tips__study_spread(job->study, y->name[0], rows, row, NULL, 0).count);
        for (int i = 0; i < y->count; i++)
            put_spread(job, table, y->name[i], tips__study_spread(job->study, y->name[i], rows, row, NULL, 0));
        tips__json_close_object(job->json);
    }
    tips__json_close_array(job->json);
    const tips_status status = tips__table_print(table, job->text);
    tips__table_destroy(table);
    return status;
}

/* One row a setting, a dot with its deviation. */
static tips_status draw_means(tips_analysis_job *job, const char *value, const tips_groups *rows) {
    char title[TIPS_LABEL_SIZE];
    tips_made_chart *c;
    tips__value_title(job->study, value, title, sizeof title);
    TIPS_TRY(tips__analysis_chart(job, TIPS_CHART_DOTS, title, title, "", 1, rows->count, &c));
    const size_t count = (size_t)rows->count + 1;
    TIPS_TRY(tips__new_zero(&c->categories, count * sizeof *c->categories, "a chart"));
    TIPS_TRY(tips__new_zero(&c->looks, count * sizeof *c->looks, "a chart"));
    for (int i = 0; i < rows->count; i++) {
        const tips_spread r = tips__study_spread(job->study, value, rows, i, NULL, 0);
        TIPS_TRY(tips__chart_keep(c, rows->labels[i], &c->categories[i]));
        c->looks[i] = i;
        c->series[0].y[i] = r.mean;
        c->series[0].low[i] = r.mean - r.deviation;
        c->series[0].high[i] = r.mean + r.deviation;
    }
    c->series[0].count = rows->count;
    c->chart.categories = c->categories;
    c->chart.looks = c->looks;
    c->chart.n_categories = rows->count;
    c->chart.percent = tips__value_is_percent(job->study, value);
    return TIPS_OK;
}

static void join(const tips_names *names, char *out, size_t size) {
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < names->count && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", names->name[i]);
}

static tips_status show_means(tips_analysis_job *job, const tips_names *by, const tips_names *y, tips_groups *rows) {
    char first[128];
    join(by, first, sizeof first);
    TIPS_TRY(print_means(job, first, y, rows));
    for (int i = 0; i < y->count; i++) TIPS_TRY(draw_means(job, y->name[i], rows));
    return TIPS_OK;
}

tips_status tips__analyse_table(tips_analysis_job *job) {
    const tips_names by = tips__analysis_names(job, "rows", usual_rows), y = figures(job);
    tips_groups rows;
    TIPS_TRY(tips__study_group(job->study, &by, &rows));
    const tips_status status = show_means(job, &by, &y, &rows);
    tips__groups_free(&rows);
    return status;
}

/* Whether two cells differ in the factor alone. */
static bool is_pair(const tips_study *s, int a, int b, int factor) {
    for (int axis = 0; axis < s->grid.n_axes; axis++)
        if (axis != factor && strcmp(s->grid.cells[a].labels[axis], s->grid.cells[b].labels[axis]) != 0) return false;
    return true;
}

/* b - a over the pairs that share everything else, seeds included. */
static tips_spread differ(const tips_study *s, const char *value, const tips_groups *rows, int a, int b, int factor) {
    tips_spread r = {.mean = NAN, .deviation = NAN, .low = NAN, .high = NAN};
    double sum = 0, square = 0;
    for (int i = 0; i < s->grid.n_cells; i++)
        for (int k = 0; rows->of[i] == a && k < s->grid.n_cells; k++) {
            if (rows->of[k] != b || !is_pair(s, i, k, factor)) continue;
            const double d = tips__study_value(s, k, value) - tips__study_value(s, i, value);
            if (!isnan(d)) sum += d, square += d * d, r.count++;
        }
    if (r.count == 0) return r;
    r.mean = sum / r.count;
    if (r.count < 2) return r;
    r.deviation = sqrt(fmax(0, (square - sum * r.mean) / (r.count - 1)));
    if (r.deviation <= 1e-6 * fabs(r.mean)) return r; /* equal ones do not tell how they would spread */
    const double half = tips__student(r.count - 1) * r.deviation / sqrt(r.count);
    r.low = r.mean - half, r.high = r.mean + half;
    return r;
}

static void put_difference(const tips_analysis_job *job, tips_text_table *table, const char *value, tips_spread r) {
    if (isnan(r.mean)) tips__table_cell(table, "-");
    else if (isnan(r.low)) tips__table_cell(table, "%+.2f", r.mean);
    else tips__table_cell(table, "%+.2f (%+.2f to %+.2f)", r.mean, r.low, r.high);
    tips__json_open_object(job->json, value);
    tips__json_number(job->json, "mean", r.mean);
    tips__json_number(job->json, "low", r.low);
    tips__json_number(job->json, "high", r.high);
    tips__json_int(job->json, "pairs", r.count);
    tips__json_close_object(job->json);
}

static tips_status print_differences(const tips_analysis_job *job, const tips_names *y, const tips_groups *rows,
                                     int factor) {
    tips_text_table *table;
    TIPS_TRY(make_table(job, "difference", y, &table));
    tips__json_open_array(job->json, "differences");
    for (int a = 0; a < rows->count; a++)
        for (int b = a + 1; b < rows->count; b++) {
            tips__json_open_object(job->json, NULL);
            tips__json_text(job->json, "of", rows->labels[b]);
            tips__json_text(job->json, "from", rows->labels[a]);
            tips__table_cell(table, "%s - %s", rows->labels[b], rows->labels[a]);
            tips__table_cell(table, "%d", differ(job->study, y->name[0], rows, a, b, factor).count);
            for (int i = 0; i < y->count; i++)
                put_difference(job, table, y->name[i], differ(job->study, y->name[i], rows, a, b, factor));
            tips__json_close_object(job->json);
        }
    tips__json_close_array(job->json);
    fprintf(job->text, "\nMean difference over pairs that share everything else, with Student's 95 %% interval.\n\n");
    const tips_status status = tips__table_print(table, job->text);
    tips__table_destroy(table);
    return status;
}

tips_status tips__analyse_ablation(tips_analysis_job *job) {
    const tips_names by = tips__analysis_names(job, "factor", NULL), y = figures(job);
    const int factor = by.count ? tips__grid_axis(&job->study->grid, by.name[0]) : -1;
    tips_groups rows;
    if (factor < 0)
        TIPS_FAIL(TIPS_INVALID, "%s:%d: an ablation needs a 'factor' that is an axis of the grid",
                  job->study->grid.path, job->options->line);
    TIPS_TRY(tips__study_group(job->study, &by, &rows));
    tips_status status = show_means(job, &by, &y, &rows);
    if (status == TIPS_OK) status = print_differences(job, &y, &rows, factor);
    tips__groups_free(&rows);
    return status;
}
