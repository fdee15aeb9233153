/* Lines that every run has by itself: over the size of the shift, over the epochs. */
#include "study/analysis.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/text_table.h"
#include "evaluate/evaluate_json.h"
#include "train/train_log.h"
#include "train/trainer.h"

#include <math.h>
#include <string.h>

tips_status tips__analyse_levels(tips_analysis_job *job);
tips_status tips__analyse_training(tips_analysis_job *job);

/* Sums over the models of a line, point by point. */
enum { MOST_POINTS = 1024 };
typedef struct track {
    double sum[MOST_POINTS], low[MOST_POINTS], high[MOST_POINTS], x[MOST_POINTS];
    int n[MOST_POINTS], count;
} track;

static void add_point(track *t, int i, double x, double y) {
    if (i >= MOST_POINTS || isnan(y)) return;
    t->x[i] = x;
    t->low[i] = t->n[i] ? fmin(t->low[i], y) : y;
    t->high[i] = t->n[i] ? fmax(t->high[i], y) : y;
    t->sum[i] += y;
    t->n[i]++;
    t->count = i >= t->count ? i + 1 : t->count;
}

static void take_track(const track *t, tips_chart_series *s) {
    for (int i = 0; i < t->count; i++) {
        if (t->n[i] == 0) continue;
        s->x[s->count] = t->x[i];
        s->y[s->count] = t->sum[i] / t->n[i];
        s->low[s->count] = t->low[i];
        s->high[s->count++] = t->high[i];
    }
}

/* Adds what a cell has under a name. */
typedef tips_status read_cell(const tips_study *study, int cell, const char *what, track *out);

/* What is drawn: a chart for each name with a line for each group of cells, or the other way round. */
typedef struct line_job {
    tips_analysis_job *analysis;
    tips_names what;
    const char *x;
    bool percent, by_group;
    bool points; /* print them too, a column for each line */
    read_cell *read;
    const tips_groups *groups;
    track *track;
    double *ends; /* (names, groups): what the lines end with; not a number without any */
} line_job;

static tips_status add_line(const line_job *job, int k, int g, const char *name, tips_made_chart *c) {
    tips_chart_series *s = &c->series[c->chart.n_series++];
    const tips_analysis_job *a = job->analysis;
    const char *group = job->groups->labels[g];
    s->look = c->chart.n_series - 1;
    if (name[0]) TIPS_TRY(tips__chart_keep(c, name, &s->name));
    memset(job->track, 0, sizeof *job->track);
    for (int i = 0; i < a->study->grid.n_cells; i++)
        if (job->groups->of[i] == g) TIPS_TRY(job->read(a->study, i, job->what.name[k], job->track));
    take_track(job->track, s);
    job->ends[k * job->groups->count + g] = s->count ? s->y[s->count - 1] : NAN;
    for (int i = 0; i < s->count; i++) {
        char x[TIPS_NUMBER_SIZE];
        tips__number_format(s->x[i], x, sizeof x);
        tips__analysis_point(a->json, group, x,
                             (tips_spread){.mean = s->y[i], .deviation = NAN, .count = job->track->n[i]});
    }
    return TIPS_OK;
}

static tips_status open_chart(const line_job *job, const char *title, const char *y, int lines, tips_made_chart **out) {
    TIPS_TRY(tips__analysis_chart(job->analysis, TIPS_CHART_LINES, title, job->x, y, lines, MOST_POINTS, out));
    (*out)->chart.percent = job->percent;
    (*out)->chart.n_series = 0;
    return TIPS_OK;
}

static tips_status print_points(const line_job *job, const char *name, const tips_made_chart *c) {
    const int shown = job->groups->count < TIPS_MOST_NAMES ? job->groups->count : TIPS_MOST_NAMES;
    const char *columns[TIPS_MOST_NAMES + 2] = {job->x};
    char heads[TIPS_MOST_NAMES][2 * TIPS_LABEL_SIZE + 1];
    tips_text_table *table;
    int rows = 0;
    for (int g = 0; g < shown; g++) {
        snprintf(heads[g], sizeof heads[g], ">%s", job->groups->labels[g][0] ? job->groups->labels[g] : name);
        columns[g + 1] = heads[g];
        rows = c->series[g].count > rows ? c->series[g].count : rows;
    }
    TIPS_TRY(tips__table_create(columns, &table));
    for (int i = 0; i < rows; i++)
        for (int g = -1; g < shown; g++) {
            const tips_chart_series *s = &c->series[g < 0 ? 0 : g];
            if (i >= s->count) tips__table_cell(table, "-");
            else tips__table_cell(table, g < 0 ? "%g" : "%.2f", g < 0 ? s->x[i] : s->y[i]);
        }
    fprintf(job->analysis->text, "%s\n", name);
    const tips_status status = tips__table_print(table, job->analysis->text);
    fprintf(job->analysis->text, "\n");
    tips__table_destroy(table);
    return status;
}

static tips_status draw_name(const line_job *job, int k) {
    const char *name = job->what.name[k];
    tips_made_chart *c;
    TIPS_TRY(open_chart(job, name, name, job->groups->count, &c));
    tips__json_open_array(job->analysis->json, name);
    for (int g = 0; g < job->groups->count; g++) TIPS_TRY(add_line(job, k, g, job->groups->labels[g], c));
    tips__json_close_array(job->analysis->json);
    return job->points ? print_points(job, name, c) : TIPS_OK;
}

static tips_status draw_group(const line_job *job, int g) {
    const char *group = job->groups->labels[g], *first = job->what.name[0];
    tips_made_chart *c;
    TIPS_TRY(open_chart(job, group[0] ? group : first, first, job->what.count, &c));
    for (int k = 0; k < job->what.count; k++) {
        char key[3 * TIPS_LABEL_SIZE];
        snprintf(key, sizeof key, "%s%s%s", job->what.name[k], group[0] ? ": " : "", group);
        tips__json_open_array(job->analysis->json, key);
        TIPS_TRY(add_line(job, k, g, job->what.name[k], c));
        tips__json_close_array(job->analysis->json);
    }
    return TIPS_OK;
}

static tips_status draw_charts(const line_job *job) {
    const int charts = job->by_group ? job->groups->count : job->what.count;
    for (int i = 0; i < charts; i++) TIPS_TRY(job->by_group ? draw_group(job, i) : draw_name(job, i));
    return TIPS_OK;
}

static tips_status print_ends(const line_job *job) {
    const char *columns[TIPS_MOST_NAMES + 2] = {"at the end"};
    char heads[TIPS_MOST_NAMES][TIPS_LABEL_SIZE + 1];
    tips_text_table *table;
    for (int k = 0; k < job->what.count; k++) {
        snprintf(heads[k], sizeof heads[k], ">%s", job->what.name[k]);
        columns[k + 1] = heads[k];
    }
    TIPS_TRY(tips__table_create(columns, &table));
    for (int g = 0; g < job->groups->count; g++) {
        tips__table_cell(table, "%s", job->groups->labels[g][0] ? job->groups->labels[g] : "all");
        for (int k = 0; k < job->what.count; k++) {
            const double end = job->ends[k * job->groups->count + g];
            if (isnan(end)) tips__table_cell(table, "-");
            else tips__table_cell(table, "%.4f", end);
        }
    }
    const tips_status status = tips__table_print(table, job->analysis->text);
    fprintf(job->analysis->text, "\n");
    tips__table_destroy(table);
    return status;
}

static tips_status draw_groups(line_job *job, const tips_groups *groups, bool prints) {
    const size_t lines = (size_t)groups->count * (size_t)job->what.count + 1;
    job->groups = groups;
    TIPS_TRY(tips__new(&job->track, sizeof *job->track, "a chart"));
    tips_status status = tips__new(&job->ends, lines * sizeof *job->ends, "a chart");
    if (status == TIPS_OK) status = draw_charts(job);
    if (status == TIPS_OK && prints) status = print_ends(job);
    tips__free(job->ends);
    tips__free(job->track);
    return status;
}

static tips_status draw_lines(line_job job, bool prints) {
    const tips_names by = tips__analysis_names(job.analysis, "series", "pool");
    tips_groups groups;
    TIPS_TRY(tips__study_group(job.analysis->study, &by, &groups));
    const tips_status status = draw_groups(&job, &groups, prints);
    tips__groups_free(&groups);
    return status;
}

/* "standard consistency": a kind of shift, and what eval.json has of each size. */
static tips_status read_levels(const tips_study *s, int cell, const char *what, track *out) {
    char kind[16];
    tips_json_node *file;
    const char *space = strchr(what, ' ');
    int i = 0;
    snprintf(kind, sizeof kind, "%.*s", space ? (int)(space - what) : 0, what);
    TIPS_TRY(tips__study_evaluation(s, cell, &file));
    const tips_json_node *models = tips__json_get(file, "models"), *model = models ? models->first : file;
    const tips_json_node *levels = tips__json_get(tips__json_get(model, "levels"), kind);
    for (const tips_json_node *at = levels ? levels->first : NULL; at; at = at->next, i++) {
        const tips_json_node *figure = tips__json_get(at, space ? space + 1 : what);
        add_point(out, i, tips__json_get_number(at, "size"), tips__json_get_number(figure, "value"));
    }
    tips__json_tree_free(file);
    return TIPS_OK;
}

tips_status tips__analyse_levels(tips_analysis_job *job) {
    static const tips_names what = {
        .name = {"standard consistency", "standard fidelity", "circular consistency", "circular fidelity"}, .count = 4};
    TIPS_TRY(draw_lines(
        (line_job){.analysis = job, .what = what, .x = "pixels", .percent = true, .points = true, .read = read_levels},
        false));
    fprintf(job->text, "Figures: consistency and fidelity by the size of the shift.\n");
    return TIPS_OK;
}

/* A number of the log's lines, by its key. */
static tips_status read_log(const tips_study *s, int cell, const char *what, track *out) {
    char path[TIPS_PATH_SIZE];
    tips_json_node *lines;
    int i = 0;
    TIPS_TRY(tips__path_join(s->runs[cell].folder, tips__log_name, path));
    TIPS_TRY(tips__json_tree_load_lines(path, &lines));
    for (const tips_json_node *at = lines->first; at; at = at->next, i++)
        add_point(out, i, tips__json_get_number(at, "epoch"), tips__json_get_number(at, what));
    tips__json_tree_free(lines);
    return TIPS_OK;
}

tips_status tips__analyse_training(tips_analysis_job *job) {
    const tips_names y = tips__analysis_names(job, "y", "loss"), beside = tips__analysis_names(job, "beside", NULL);
    const bool has_more = beside.count > 0 && beside.name[0];
    line_job lines = {.analysis = job, .what = y, .x = "epoch", .read = read_log, .by_group = has_more};
    for (int k = 0; has_more && k < beside.count && lines.what.count < TIPS_MOST_NAMES; k++)
        lines.what.name[lines.what.count++] = beside.name[k];
    TIPS_TRY(draw_lines(lines, true));
    fprintf(job->text, "Figures: the log over the epochs.\n");
    return TIPS_OK;
}
