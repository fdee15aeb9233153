/* How figures go together: correlation and bubbles. */
#include "study/analysis.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/text_table.h"
#include "metric/correlation.h"

#include <math.h>
#include <string.h>

tips_status tips__analyse_correlation(tips_analysis_job *job);
tips_status tips__analyse_bubble(tips_analysis_job *job);

_Static_assert(TIPS_FEWEST_CLUSTERS == 5, "as the text below the table says");

typedef struct pairs {
    double *x, *y; /* (cells) */
    int *cluster;
    const tips_groups *clusters;
    tips_text_table *table;
} pairs;

static void add_number(tips_text_table *table, double value) {
    if (isnan(value)) tips__table_cell(table, "-");
    else tips__table_cell(table, "%.3f", value);
}

static void add_interval(tips_text_table *table, tips_figure f) {
    if (isnan(f.low)) tips__table_cell(table, "-");
    else tips__table_cell(table, "%.3f to %.3f", f.low, f.high);
}

static void put_figure(tips_json *json, const char *key, tips_figure f) {
    tips__json_open_array(json, key);
    tips__json_number(json, NULL, f.low);
    tips__json_number(json, NULL, f.high);
    tips__json_close_array(json);
}

/* Of the cells of group g of `within`, or of all. */
static tips_status correlate(const tips_analysis_job *job, const char *x, const char *y, const tips_groups *within,
                             int g, pairs *p) {
    const tips_study *s = job->study;
    tips_correlation c;
    int n = 0;
    for (int i = 0; i < s->grid.n_cells; i++) {
        if (!s->runs[i].done || (within && within->of[i] != g)) continue;
        p->x[n] = tips__study_value(s, i, x);
        p->y[n] = tips__study_value(s, i, y);
        p->cluster[n++] = p->clusters->of[i];
    }
    TIPS_TRY(tips__correlate(p->x, p->y, p->cluster, n, &c));
    const char *group = within ? within->labels[g] : "all";
    tips__table_cell(p->table, "%s", y);
    tips__table_cell(p->table, "%s", x);
    tips__table_cell(p->table, "%s", group);
    tips__table_cell(p->table, "%d", c.n);
    add_number(p->table, c.fisher.value);
    add_interval(p->table, c.fisher);
    tips__table_cell(p->table, "%d", c.clusters);
    add_interval(p->table, c.clustered);
    add_number(p->table, c.within.value);
    add_interval(p->table, c.within);
    add_number(p->table, c.rho);
    tips__json_open_object(job->json, NULL);
    tips__json_text(job->json, "y", y);
    tips__json_text(job->json, "x", x);
    tips__json_text(job->json, "group", group);
    tips__json_int(job->json, "n", c.n);
    tips__json_number(job->json, "r", c.fisher.value);
    put_figure(job->json, "fisher", c.fisher);
    tips__json_int(job->json, "clusters", c.clusters);
    put_figure(job->json, "clustered", c.clustered);
    tips__json_number(job->json, "r_within", c.within.value);
    put_figure(job->json, "within", c.within);
    tips__json_number(job->json, "rho", c.rho);
    tips__json_close_object(job->json);
    return TIPS_OK;
}

/* Over all, then within each value of each axis that is named. */
static tips_status correlate_groups(const tips_analysis_job *job, const char *x, const char *y,
                                    const tips_names *within, pairs *p) {
    TIPS_TRY(correlate(job, x, y, NULL, 0, p));
    for (int i = 0; i < within->count; i++) {
        const tips_names one = {.name = {within->name[i]}, .count = 1};
        tips_groups groups;
        TIPS_TRY(tips__study_group(job->study, &one, &groups));
        tips_status status = TIPS_OK;
        for (int g = 0; g < groups.count && status == TIPS_OK; g++) status = correlate(job, x, y, &groups, g, p);
        tips__groups_free(&groups);
        TIPS_TRY(status);
    }
    return TIPS_OK;
}

/* A mark for each of `points` (those cells, or means over the cells of a setting), a colour for each of `series`. */
static tips_status draw(tips_analysis_job *job, const char *x, const char *y, const char *size,
                        const tips_groups *points, const tips_groups *series) {
    const tips_study *s = job->study;
    char titles[2][TIPS_LABEL_SIZE], title[256];
    tips_made_chart *c;
    double low = INFINITY, high = -INFINITY;
    tips__value_title(s, x, titles[0], sizeof titles[0]);
    tips__value_title(s, y, titles[1], sizeof titles[1]);
    snprintf(title, sizeof title, "%s against %s%s%s", titles[1], titles[0], size ? ", size: " : "", size ? size : "");
    TIPS_TRY(
        tips__analysis_chart(job, TIPS_CHART_POINTS, title, titles[0], titles[1], series->count, points->count, &c));
    c->chart.percent = tips__value_is_percent(s, y);
    c->chart.x_parts = true;
    for (int g = 0; g < series->count; g++) {
        tips_chart_series *line = &c->series[g];
        TIPS_TRY(tips__chart_keep(c, series->labels[g], &line->name));
        line->look = g;
        for (int k = 0; k < points->count; k++) {
            const tips_spread at = tips__study_spread(s, y, points, k, series, g);
            if (at.count == 0) continue;
            line->x[line->count] = tips__study_spread(s, x, points, k, series, g).mean;
            if (size) line->low[line->count] = tips__study_spread(s, size, points, k, series, g).mean;
            if (size) low = fmin(low, line->low[line->count]), high = fmax(high, line->low[line->count]);
            line->y[line->count++] = at.mean;
        }
    }
    for (int g = 0; g < series->count; g++) { /* areas from the least to the greatest; there are no whiskers */
        tips_chart_series *line = &c->series[g];
        for (int k = 0; size && k < line->count; k++)
            line->low[k] = high > low ? 0.05 + 0.95 * (line->low[k] - low) / (high - low) : 0.5;
        line->size = size ? line->low : NULL;
        line->low = line->high = NULL;
    }
    return TIPS_OK;
}

/* Every cell is a point of its own. */
static tips_status draw_cells(tips_analysis_job *job, const tips_names *x, const tips_names *y, const char *by) {
    const tips_names colour = {.name = {by}, .count = by ? 1 : 0};
    tips_names all = {.count = 0};
    tips_groups cells, series;
    for (int i = 0; i < job->study->grid.n_axes && i < TIPS_MOST_NAMES; i++)
        all.name[all.count++] = job->study->grid.axes[i];
    TIPS_TRY(tips__study_group(job->study, &all, &cells));
    tips_status status = tips__study_group(job->study, &colour, &series);
    if (status == TIPS_OK) {
        for (int a = 0; a < x->count; a++)
            for (int b = 0; b < y->count && status == TIPS_OK; b++)
                status = draw(job, x->name[a], y->name[b], NULL, &cells, &series);
        tips__groups_free(&series);
    }
    tips__groups_free(&cells);
    return status;
}

static tips_status make_pairs(const tips_study *s, pairs *p) {
    static const char *const columns[] = {"figure",    "with",           ">group",    ">n",
                                          ">r",        ">95 % (Fisher)", ">clusters", ">95 % (clusters)",
                                          ">r within", ">95 % (within)", ">rho",      NULL};
    const size_t cells = (size_t)s->grid.n_cells + 1;
    TIPS_TRY(tips__new(&p->x, cells * sizeof *p->x, "correlations"));
    TIPS_TRY(tips__new(&p->y, cells * sizeof *p->y, "correlations"));
    TIPS_TRY(tips__new(&p->cluster, cells * sizeof *p->cluster, "correlations"));
    return tips__table_create(columns, &p->table);
}

static tips_status show(tips_analysis_job *job, const tips_names *x, const tips_names *y, const tips_names *within,
                        pairs *p) {
    TIPS_TRY(make_pairs(job->study, p));
    tips__json_open_array(job->json, "correlations");
    for (int a = 0; a < x->count; a++)
        for (int b = 0; b < y->count; b++) TIPS_TRY(correlate_groups(job, x->name[a], y->name[b], within, p));
    tips__json_close_array(job->json);
    TIPS_TRY(tips__table_print(p->table, job->text));
    fprintf(
        job->text,
        "\nModels that share network and data are not independent: Fisher's interval takes them so. The others are "
        "Student's, by leaving out one cluster after the other; there is none below five clusters. r within is that of "
        "what is left when the means of each cluster are taken off.\n");
    return draw_cells(job, x, y, within->count ? within->name[0] : NULL);
}

tips_status tips__analyse_correlation(tips_analysis_job *job) {
    const tips_names x = tips__analysis_names(job, "x", "msb"), within = tips__analysis_names(job, "within", "pool");
    const tips_names y = tips__analysis_names(job, "y", "standard_consistency");
    tips_names by = tips__analysis_names(job, "cluster", NULL);
    tips_groups clusters;
    if (!by.count) by = (tips_names){.name = {"arch", "width", "data"}, .count = 3};
    TIPS_TRY(tips__study_group(job->study, &by, &clusters));
    pairs p = {.clusters = &clusters};
    const tips_status status = show(job, &x, &y, &within, &p);
    tips__table_destroy(p.table);
    tips__free(p.x);
    tips__free(p.y);
    tips__free(p.cluster);
    tips__groups_free(&clusters);
    return status;
}

/* A bubble is a setting: the mean over its seeds. */
tips_status tips__analyse_bubble(tips_analysis_job *job) {
    const char *x = tips__analysis_name(job, "x", "metric"), *y = tips__analysis_name(job, "y", "standard_fidelity");
    const char *size = tips__analysis_name(job, "size", "msb");
    const tips_names colour = tips__analysis_names(job, "series", "pool");
    const tips_grid *g = &job->study->grid;
    tips_names settings = {.count = 0};
    tips_groups points, series;
    for (int i = 0; i < g->n_axes && settings.count < TIPS_MOST_NAMES; i++)
        if (strcmp(g->axes[i], "seed") != 0) settings.name[settings.count++] = g->axes[i];
    TIPS_TRY(tips__study_group(job->study, &settings, &points));
    tips_status status = tips__study_group(job->study, &colour, &series);
    if (status == TIPS_OK) {
        status = draw(job, x, y, size, &points, &series);
        tips__groups_free(&series);
    }
    tips__groups_free(&points);
    if (status == TIPS_OK) fprintf(job->text, "A figure: %s over %s, as large as %s.\n", y, x, size);
    return status;
}
