/* Charts of what was measured: both consistencies, by size of the shift, over the grid of shifts, and MSB by layer. */
#include "report/report_charts.h"

#include "report/answer_words.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SEEDS = 64 };

/* The rows of a set that were evaluated. */
static int rows_of(const tips_report_data *r, int set, int *rows) {
    int count = 0;
    for (int i = 0; i < r->n_rows; i++) {
        if (r->rows[i].set != set || r->rows[i].evaluated == 0) continue;
        if (rows) rows[count] = i;
        count++;
    }
    return count;
}

static void name_chart(tips_made_chart *c, const char *name, const char *more) {
    int n = snprintf(c->name, sizeof c->name, "%s", name);
    if (more) n += snprintf(c->name + n, sizeof c->name - (size_t)n, "-%s", more);
    if (c->set > 0 && n < (int)sizeof c->name) snprintf(c->name + n, sizeof c->name - (size_t)n, "-%d", c->set + 1);
}

static void put_cell(const tips_chart_series *s, int i, tips_figure v) {
    s->y[i] = v.value;
    s->low[i] = v.low;
    s->high[i] = v.high;
}

static tips_status set_categories(tips_made_chart *c, int count) {
    TIPS_TRY(tips__new_zero(&c->categories, (size_t)count * sizeof *c->categories, "a chart"));
    TIPS_TRY(tips__new_zero(&c->looks, (size_t)count * sizeof *c->looks, "a chart"));
    c->chart.categories = c->categories;
    c->chart.looks = c->looks;
    c->chart.n_categories = count;
    return TIPS_OK;
}

static tips_status add_overview(const tips_report_data *r, int set, const int *rows, int count, tips_chart_list *out) {
    static const tips_common_metric shown[] = {TIPS_METRIC_STANDARD_CONSISTENCY, TIPS_METRIC_CIRCULAR_CONSISTENCY};
    static const char *const names[] = {"standard shifts", "circular shifts"};
    tips_made_chart *c;
    TIPS_TRY(tips__chart_list_add(out, TIPS_GROUP_OVERVIEW, set, 2, count, &c));
    TIPS_TRY(set_categories(c, count));
    name_chart(c, "overview", NULL);
    snprintf(c->title, sizeof c->title, "%s", tips__answer_words(r, set)->stay);
    snprintf(c->description, sizeof c->description,
             "Consistency under standard and under circular shifts, one row an operator; the table has the numbers.");
    c->chart.kind = TIPS_CHART_DOTS;
    c->chart.x_label = "consistency, %";
    c->chart.percent = true;
    for (int k = 0; k < 2; k++) {
        c->series[k].name = names[k];
        c->series[k].look = k == 0 ? 0 : 3;
        c->series[k].count = count;
        for (int i = 0; i < count; i++)
            put_cell(&c->series[k], i, tips__report_common_cell(r, rows[i], shown[k]).value);
    }
    for (int i = 0; i < count; i++) {
        c->categories[i] = r->rows[rows[i]].label;
        c->looks[i] = r->rows[rows[i]].look;
    }
    return TIPS_OK;
}

static int most_levels(const tips_report_data *r, int set, int kind) {
    int most = 0;
    for (int i = 0; i < r->n_runs; i++) {
        const tips_report_shift *s = &r->runs[i].evaluation.shift[kind];
        if (tips__report_is_in(r, &r->runs[i], set) && s->n_levels > most) most = s->n_levels;
    }
    return most;
}

static tips_figure level_of_row(const tips_report_data *r, int row, int kind, int level, double *size) {
    tips_figure values[MOST_SEEDS];
    int count = 0;
    for (int i = 0; i < r->n_runs && count < MOST_SEEDS; i++) {
        const tips_report_shift *s = &r->runs[i].evaluation.shift[kind];
        if (r->runs[i].row != row || level >= s->n_levels) continue;
        *size = s->sizes[level];
        values[count++] = s->levels[level];
    }
    return tips__report_mean(values, count).value;
}

static void put_levels(const tips_report_data *r, int row, int kind, int most, tips_chart_series *s) {
    s->name = r->rows[row].label;
    s->look = r->rows[row].look;
    for (int level = 0; level < most; level++) {
        double size = NAN;
        const tips_figure v = level_of_row(r, row, kind, level, &size);
        if (isnan(v.value)) continue;
        s->x[s->count] = size;
        put_cell(s, s->count++, v);
    }
}

static double least_level(const tips_report_data *r, int set) {
    double least = 100;
    for (int i = 0; i < r->n_runs; i++)
        for (int kind = 0; kind < TIPS_SHIFT_KINDS && tips__report_is_in(r, &r->runs[i], set); kind++) {
            const tips_report_shift *s = &r->runs[i].evaluation.shift[kind];
            for (int k = 0; k < s->n_levels; k++)
                least = fmin(least, isnan(s->levels[k].low) ? s->levels[k].value : s->levels[k].low);
        }
    return least;
}

/* Both kinds on the same axis, so that they can be compared at a glance. */
static double round_down(double value) {
    const double step = value > 90 ? 2 : value > 60 ? 5 : 10;
    return fmax(fmin(floor((value - 0.5) / step) * step, 98), 0);
}

static tips_status add_sizes(const tips_report_data *r, int set, const int *rows, int count, tips_chart_list *out) {
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        const int most = most_levels(r, set, kind);
        tips_made_chart *c;
        if (most == 0) continue;
        TIPS_TRY(tips__chart_list_add(out, TIPS_GROUP_SIZES, set, count, most, &c));
        name_chart(c, "by-size", tips__kind_names[kind]);
        snprintf(c->title, sizeof c->title, "%s shifts", kind == TIPS_STANDARD ? "Standard" : "Circular");
        snprintf(c->description, sizeof c->description, "By %s shifts of each size: %s, one line an operator.",
                 tips__kind_names[kind], tips__answer_words(r, set)->share);
        c->chart.kind = TIPS_CHART_LINES;
        c->chart.x_label = "size of the shift, pixels";
        c->chart.y_label = tips__answer_words(r, set)->axis;
        c->chart.percent = true;
        c->chart.low = round_down(least_level(r, set));
        c->chart.high = 100.0001;
        for (int i = 0; i < count; i++) put_levels(r, rows[i], kind, most, &c->series[i]);
    }
    return TIPS_OK;
}

static double least_cell(const tips_report_data *r, int set) {
    double least = 100;
    for (int i = 0; i < r->n_runs; i++)
        for (int kind = 0; kind < TIPS_SHIFT_KINDS && tips__report_is_in(r, &r->runs[i], set); kind++) {
            const tips_report_shift *s = &r->runs[i].evaluation.shift[kind];
            const int cells = s->map_images ? (s->high[0] - s->low[0] + 1) * (s->high[1] - s->low[1] + 1) : 0;
            for (int k = 0; k < cells; k++) least = fmin(least, s->cells[k]);
        }
    return least;
}

static int cell_count(const tips_report_shift *s) {
    return (s->high[0] - s->low[0] + 1) * (s->high[1] - s->low[1] + 1);
}

/* The mean over the seeds whose map is as large as the first's. */
static const tips_report_shift *mean_map(const tips_report_data *r, int row, int kind, double *cells, int *seeds) {
    const tips_report_shift *first = NULL;
    *seeds = 0;
    for (int i = 0; i < r->n_runs; i++) {
        const tips_report_shift *s = &r->runs[i].evaluation.shift[kind];
        if (r->runs[i].row != row || s->map_images == 0) continue;
        if (!first) first = s;
        if (memcmp(s->low, first->low, sizeof s->low) != 0 || memcmp(s->high, first->high, sizeof s->high) != 0)
            continue;
        for (int k = 0; cells && k < cell_count(s); k++) cells[k] = *seeds ? cells[k] + s->cells[k] : s->cells[k];
        ++*seeds;
    }
    for (int k = 0; first && cells && k < cell_count(first); k++) cells[k] /= *seeds;
    return first;
}

static tips_status add_map(const tips_report_data *r, int set, int row, int kind, double least, tips_chart_list *out) {
    tips_made_chart *c;
    int seeds;
    char number[16];
    const tips_report_shift *map = mean_map(r, row, kind, NULL, &seeds);
    if (!map) return TIPS_OK;
    TIPS_TRY(tips__chart_list_add(out, TIPS_GROUP_MAPS, set, 1, cell_count(map), &c));
    mean_map(r, row, kind, c->numbers, &seeds);
    snprintf(number, sizeof number, "%d", row + 1);
    name_chart(c, kind == TIPS_STANDARD ? "map-standard" : "map-circular", number);
    snprintf(c->title, sizeof c->title, "%s, %s", r->rows[row].label, tips__kind_names[kind]);
    snprintf(c->description, sizeof c->description, "Heat map of %d pictures: %s, under each %s shift (dy, dx).",
             map->map_images, tips__answer_words(r, set)->share, tips__kind_names[kind]);
    c->chart.kind = TIPS_CHART_HEAT;
    c->chart.n_series = 0;
    c->chart.x_label = "dx, pixels to the right";
    c->chart.y_label = "dy, pixels down";
    c->chart.low = least;
    c->chart.high = 100;
    c->chart.rows = map->high[0] - map->low[0] + 1;
    c->chart.columns = map->high[1] - map->low[1] + 1;
    memcpy(c->chart.first, map->low, sizeof map->low);
    c->chart.cells = c->numbers;
    return TIPS_OK;
}

static const tips_report_evaluation *first_layers(const tips_report_data *r, int set) {
    const tips_report_evaluation *best = NULL;
    for (int i = 0; i < r->n_runs; i++) {
        const tips_report_evaluation *e = &r->runs[i].evaluation;
        if (tips__report_is_in(r, &r->runs[i], set) && (!best || e->n_layers > best->n_layers)) best = e;
    }
    return best;
}

static tips_figure layer_of_row(const tips_report_data *r, int row, const char *name, bool nontrivial) {
    tips_figure values[MOST_SEEDS];
    int count = 0;
    for (int i = 0; i < r->n_runs && count < MOST_SEEDS; i++) {
        const tips_report_evaluation *e = &r->runs[i].evaluation;
        for (int k = 0; k < e->n_layers && r->runs[i].row == row && count < MOST_SEEDS; k++)
            if (strcmp(e->layers[k].name, name) == 0)
                values[count++] = nontrivial ? e->layers[k].nontrivial : e->layers[k].msb;
    }
    return tips__report_mean(values, count).value;
}

static tips_status add_msb(const tips_report_data *r, int set, const int *rows, int count, tips_chart_list *out) {
    const tips_report_evaluation *layers = first_layers(r, set);
    for (int k = 0; layers && layers->n_layers > 0 && k < 2; k++) {
        tips_made_chart *c;
        TIPS_TRY(tips__chart_list_add(out, TIPS_GROUP_MSB, set, count, layers->n_layers, &c));
        TIPS_TRY(set_categories(c, layers->n_layers));
        name_chart(c, k ? "msb-nontrivial" : "msb", NULL);
        snprintf(c->title, sizeof c->title, k ? "Windows whose values differ" : "All windows");
        snprintf(c->description, sizeof c->description,
                 "Maximum-sampling bias of every pooling layer, one bar an operator%s.",
                 k ? ", of windows whose values are not all equal" : "");
        c->chart.kind = TIPS_CHART_BARS;
        c->chart.y_label = "output is the maximum, %";
        c->chart.low = 0, c->chart.high = 100;
        for (int i = 0; i < layers->n_layers; i++) c->categories[i] = layers->layers[i].name;
        for (int s = 0; s < count; s++) {
            c->series[s].name = r->rows[rows[s]].label;
            c->series[s].look = r->rows[rows[s]].look;
            c->series[s].count = layers->n_layers;
            for (int i = 0; i < layers->n_layers; i++)
                put_cell(&c->series[s], i, layer_of_row(r, rows[s], layers->layers[i].name, k == 1));
        }
    }
    return TIPS_OK;
}

static tips_status add_all(const tips_report_data *r, int set, const int *rows, int count, tips_chart_list *out) {
    const double least = round_down(least_cell(r, set));
    TIPS_TRY(add_overview(r, set, rows, count, out));
    TIPS_TRY(add_sizes(r, set, rows, count, out));
    for (int i = 0; i < count; i++)
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) TIPS_TRY(add_map(r, set, rows[i], kind, least, out));
    return add_msb(r, set, rows, count, out);
}

tips_status tips__charts_of_evaluations(const tips_report_data *r, int set, tips_chart_list *out) {
    int *rows;
    const int count = rows_of(r, set, NULL);
    if (count == 0) return TIPS_OK;
    TIPS_TRY(tips__new(&rows, (size_t)count * sizeof *rows, "rows"));
    rows_of(r, set, rows);
    const tips_status status = add_all(r, set, rows, count, out);
    tips__free(rows);
    return status;
}
