/* What is left of figures when pictures are attacked or corrupted: a table of all cases, curves over the strength. */
#include "study/analysis.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/memory.h"
#include "core/text_table.h"
#include "evaluate/evaluate_json.h"

#include <math.h>
#include <string.h>

tips_status tips__analyse_attacks(tips_analysis_job *job);

enum { MOST_CASES = 256, MOST_GROUPS = TIPS_MOST_NAMES, NAME = 96 };

/* One figure of the models of a group under one case. */
typedef struct value {
    double sum, square, margin; /* margin: half of the interval over pictures, of the last model */
    int n;
} value;

/* A way of changing pictures. Those with the same line are a curve over x. */
typedef struct attack_case {
    char name[NAME], line[NAME], corruption[NAME]; /* corruption: "" of attacks */
    double x;
    value of[MOST_GROUPS];
} attack_case;

typedef struct attack_table {
    const tips_groups *groups;
    attack_case *cases; /* (MOST_CASES); the first is of unchanged pictures */
    int count;
} attack_table;

static void add_value(const tips_json_node *row, const char *figure, value *v) {
    const tips_json_node *node = tips__json_get(row, figure);
    const double at = tips__json_get_number(node, "value");
    if (isnan(at)) return;
    v->sum += at, v->square += at * at, v->n++;
    v->margin = (tips__json_get_number(node, "high") - tips__json_get_number(node, "low")) / 2;
}

static double mean_of(const value *v) { return v->n ? v->sum / v->n : NAN; }

/* Over seeds where there are several, else over pictures. */
static double spread_of(const value *v) {
    if (v->n < 2) return v->margin;
    return sqrt(fmax(0, (v->square - v->sum * v->sum / v->n) / (v->n - 1)));
}

static attack_case *find_case(attack_table *t, const char *name) {
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->cases[i].name, name) == 0) return &t->cases[i];
    if (t->count == MOST_CASES) return NULL;
    attack_case *c = &t->cases[t->count++];
    *c = (attack_case){0};
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

static void name_line(const char *method, const char *variant, char out[NAME]) {
    snprintf(out, NAME, "%s%s%s", method, variant[0] ? " " : "", variant);
}

static void add_row(attack_table *t, const tips_json_node *row, const char *figure, int group) {
    attack_case *c = find_case(t, tips__json_get_text(row, "name", ""));
    const double severity = tips__json_get_number(row, "severity"), eps = tips__json_get_number(row, "eps");
    if (!c) return;
    if (!isnan(severity)) {
        snprintf(c->line, sizeof c->line, "corruptions");
        snprintf(c->corruption, sizeof c->corruption, "%s", tips__json_get_text(row, "corruption", ""));
    } else name_line(tips__json_get_text(row, "method", ""), tips__json_get_text(row, "variant", ""), c->line);
    c->x = !isnan(severity) ? severity : !isnan(eps) ? eps : tips__json_get_number(row, "size");
    add_value(row, figure, &c->of[group]);
}

static tips_status add_cell(attack_table *t, const tips_study *s, int cell, const char *figure, int group) {
    static const char *const lists[] = {"attacks", "corruptions"};
    tips_json_node *file;
    TIPS_TRY(tips__study_evaluation(s, cell, &file));
    const tips_json_node *models = tips__json_get(file, "models"), *model = models ? models->first : file;
    add_value(model, figure, &t->cases[0].of[group]);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const tips_json_node *rows = tips__json_get(model, lists[i]);
        for (const tips_json_node *at = rows ? rows->first : NULL; at; at = at->next) add_row(t, at, figure, group);
    }
    tips__json_tree_free(file);
    return TIPS_OK;
}

static const char *figure_name(const tips_study *s, const char *figure) {
    const tips_metric *task = s->runs[0].task;
    return strcmp(figure, "metric") == 0 ? task[tips__metric_main(task)].name : figure;
}

static tips_status gather(const tips_analysis_job *job, const char *figure, attack_table *t) {
    const tips_study *s = job->study;
    t->count = 1;
    t->cases[0] = (attack_case){.name = "unchanged"};
    for (int i = 0; i < s->grid.n_cells; i++)
        if (t->groups->of[i] >= 0 && t->groups->of[i] < MOST_GROUPS)
            TIPS_TRY(add_cell(t, s, i, figure_name(s, figure), t->groups->of[i]));
    return TIPS_OK;
}

static void print_value(tips_text_table *table, const value *v) {
    if (v->n == 0) tips__table_cell(table, "-");
    else if (isnan(spread_of(v))) tips__table_cell(table, "%.2f", mean_of(v));
    else tips__table_cell(table, "%.2f ± %.2f", mean_of(v), spread_of(v));
}

/* The mean over all severities that were measured; of one corruption, or of all if there is no name. */
static void print_corruption(tips_text_table *table, const attack_table *t, const char *name, int groups) {
    tips__table_cell(table, "%s", name ? name : "all corruptions");
    for (int g = 0; g < groups; g++) {
        double sum = 0;
        int n = 0;
        for (int i = 1; i < t->count; i++) {
            const attack_case *c = &t->cases[i];
            if (!c->corruption[0] || (name && strcmp(c->corruption, name) != 0) || c->of[g].n == 0) continue;
            sum += mean_of(&c->of[g]);
            n++;
        }
        if (n == 0) tips__table_cell(table, "-");
        else tips__table_cell(table, "%.2f", sum / n);
    }
}

static bool is_first_of_corruption(const attack_table *t, int at) {
    for (int i = 1; i < at; i++)
        if (strcmp(t->cases[i].corruption, t->cases[at].corruption) == 0) return false;
    return true;
}

/* Attacks one by one, corruptions over their severities. */
static void print_rows(tips_text_table *table, const attack_table *t, int groups) {
    bool corrupts = false;
    for (int i = 0; i < t->count; i++) {
        const attack_case *c = &t->cases[i];
        corrupts |= c->corruption[0] != '\0';
        if (!c->corruption[0]) {
            tips__table_cell(table, "%s", c->name);
            for (int g = 0; g < groups; g++) print_value(table, &c->of[g]);
        } else if (is_first_of_corruption(t, i)) print_corruption(table, t, c->corruption, groups);
    }
    if (corrupts) print_corruption(table, t, NULL, groups);
}

static tips_status print_cases(const tips_analysis_job *job, const char *figure, const attack_table *t, int groups) {
    const char *columns[MOST_GROUPS + 2] = {"pictures"};
    char heads[MOST_GROUPS][2 * TIPS_LABEL_SIZE + 1], title[TIPS_LABEL_SIZE];
    tips_text_table *table;
    for (int g = 0; g < groups; g++) {
        snprintf(heads[g], sizeof heads[g], ">%s", t->groups->labels[g][0] ? t->groups->labels[g] : "all");
        columns[g + 1] = heads[g];
    }
    TIPS_TRY(tips__table_create(columns, &table));
    print_rows(table, t, groups);
    tips__value_title(job->study, figure, title, sizeof title);
    fprintf(job->text, "%s\n", title);
    const tips_status status = tips__table_print(table, job->text);
    fprintf(job->text, "\n");
    tips__table_destroy(table);
    return status;
}

static void put_cases(tips_json *json, const char *figure, const attack_table *t, int groups) {
    tips__json_open_array(json, figure);
    for (int i = 0; i < t->count; i++)
        for (int g = 0; g < groups; g++) {
            const value *v = &t->cases[i].of[g];
            if (v->n == 0) continue;
            tips__analysis_point(
                json, t->groups->labels[g], t->cases[i].name,
                (tips_spread){.mean = mean_of(v), .deviation = v->n > 1 ? spread_of(v) : NAN, .count = v->n});
        }
    tips__json_close_array(json);
}

/* The mean of all cases of a line that have this x: corruptions of one severity are one point. Behind those of less x.
 */
static void add_point(const attack_table *t, const char *line, double x, int g, tips_chart_series *s) {
    double sum = 0;
    int n = 0;
    for (int i = 1; i < t->count; i++) {
        if (strcmp(t->cases[i].line, line) != 0 || t->cases[i].x != x || t->cases[i].of[g].n == 0) continue;
        sum += mean_of(&t->cases[i].of[g]);
        n++;
    }
    for (int k = 0; k < s->count; k++)
        if (s->x[k] == x) return; /* said already */
    if (n == 0) return;
    int at = s->count++;
    for (; at > 0 && s->x[at - 1] > x; at--) s->x[at] = s->x[at - 1], s->y[at] = s->y[at - 1];
    s->x[at] = x;
    s->y[at] = sum / n;
}

/* What a chart says of the strength, as that of tips attack does, and what it is multiplied with there. */
static tips_status find_axis(const tips_study *s, const char *line, char axis[NAME], double *scale) {
    const int any[2] = {32, 32};
    tips_attack_plan plan;
    snprintf(axis, NAME, "severity");
    *scale = 1;
    TIPS_TRY(tips__attack_plan(&s->grid.options.attack, any, &plan));
    for (int i = 0; i < plan.n_attacks; i++) {
        const tips_attack_spec *spec = &plan.attacks[i];
        char name[NAME];
        name_line(spec->method->name, spec->method->variant(&spec->config), name);
        if (strcmp(name, line) == 0) snprintf(axis, NAME, "%s", spec->method->axis(&spec->config, scale));
    }
    tips__attack_plan_clear(&plan);
    return TIPS_OK;
}

static tips_status draw_line(tips_analysis_job *job, const char *figure, const attack_table *t, int at, int groups) {
    const char *line = t->cases[at].line;
    char name[TIPS_LABEL_SIZE], title[2 * TIPS_LABEL_SIZE + NAME], axis[NAME];
    double scale;
    tips_made_chart *c;
    tips__value_title(job->study, figure, name, sizeof name);
    snprintf(title, sizeof title, "%s: %s", line, name);
    TIPS_TRY(find_axis(job->study, line, axis, &scale));
    TIPS_TRY(tips__analysis_chart(job, TIPS_CHART_LINES, title, axis, name, groups, t->count, &c));
    c->chart.percent = tips__value_is_percent(job->study, figure);
    c->chart.x_parts = !t->cases[at].corruption[0];
    for (int g = 0; g < groups; g++) {
        tips_chart_series *s = &c->series[g];
        s->look = g;
        if (t->groups->labels[g][0]) TIPS_TRY(tips__chart_keep(c, t->groups->labels[g], &s->name));
        if (t->cases[0].of[g].n > 0) s->x[0] = 0, s->y[0] = mean_of(&t->cases[0].of[g]), s->count = 1;
        for (int i = 1; i < t->count; i++)
            if (strcmp(t->cases[i].line, line) == 0) add_point(t, line, t->cases[i].x, g, s);
        for (int i = 0; i < s->count; i++) s->x[i] *= scale;
        s->low = s->high = NULL;
    }
    return TIPS_OK;
}

static tips_status show_figure(tips_analysis_job *job, const char *figure, attack_table *t) {
    const int groups = t->groups->count < MOST_GROUPS ? t->groups->count : MOST_GROUPS;
    TIPS_TRY(gather(job, figure, t));
    TIPS_TRY(print_cases(job, figure, t, groups));
    put_cases(job->json, figure, t, groups);
    for (int i = 1; i < t->count; i++) {
        bool is_first = true;
        for (int k = 1; k < i; k++) is_first &= strcmp(t->cases[k].line, t->cases[i].line) != 0;
        if (is_first) TIPS_TRY(draw_line(job, figure, t, i, groups));
    }
    return TIPS_OK;
}

tips_status tips__analyse_attacks(tips_analysis_job *job) {
    const tips_names by = tips__analysis_names(job, "series", "pool"), y = tips__analysis_names(job, "y", "metric");
    tips_groups groups;
    TIPS_TRY(tips__study_group(job->study, &by, &groups));
    attack_table t = {.groups = &groups};
    tips_status status = tips__new(&t.cases, MOST_CASES * sizeof *t.cases, "attacks");
    for (int i = 0; i < y.count && status == TIPS_OK; i++) status = show_figure(job, y.name[i], &t);
    tips__free(t.cases);
    tips__groups_free(&groups);
    if (status == TIPS_OK)
        fprintf(job->text, "± is the deviation over models, or half of the 95 %% interval over pictures where there is "
                           "one model. Corruptions: means over their severities.\n");
    return status;
}
