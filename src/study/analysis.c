/* What the analyses share: names, groups, means, charts. */
#include "study/analysis.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/memory.h"
#include "evaluate/evaluate_json.h"

#include <math.h>
#include <string.h>

#define TIPS_ANALYSIS(name, need, keys, help) tips_status tips__analyse_##name(tips_analysis_job *job);
#include "study/analyses.def"
#undef TIPS_ANALYSIS

const tips_analysis tips__analyses[] = {
#define TIPS_ANALYSIS(name, need, keys, help) {#name, help, keys, TIPS_ANALYSIS_##need, tips__analyse_##name},
#include "study/analyses.def"
#undef TIPS_ANALYSIS
    {0}};

tips_names tips__analysis_names(const tips_analysis_job *job, const char *key, const char *usual) {
    const tips_yaml_node *node = tips__yaml_get(job->options, key);
    tips_names n = {.count = 0};
    if (!node && usual) n.name[n.count++] = usual;
    if (node && node->kind == TIPS_YAML_VALUE) n.name[n.count++] = node->text;
    if (node && node->kind == TIPS_YAML_LIST)
        for (const tips_yaml_node *at = node->first; at && n.count < TIPS_MOST_NAMES; at = at->next)
            if (at->text) n.name[n.count++] = at->text;
    return n;
}

const char *tips__analysis_name(const tips_analysis_job *job, const char *key, const char *usual) {
    const tips_names n = tips__analysis_names(job, key, usual);
    return n.count ? n.name[0] : NULL;
}

static void join_labels(const tips_study *s, int cell, const tips_names *names, char *out, size_t size) {
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < names->count; i++) {
        char label[TIPS_LABEL_SIZE];
        tips__cell_label(&s->grid, &s->grid.cells[cell], names->name[i], label, sizeof label);
        if (n < size && label[0]) n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", label);
    }
}

static int find_label(const tips_groups *g, const char *label) {
    for (int i = 0; i < g->count; i++)
        if (strcmp(g->labels[i], label) == 0) return i;
    return -1;
}

tips_status tips__study_group(const tips_study *s, const tips_names *names, tips_groups *out) {
    const size_t cells = (size_t)s->grid.n_cells + 1;
    tips_groups g = {0};
    TIPS_TRY(tips__new(&g.of, cells * sizeof *g.of, "groups"));
    const tips_status status = tips__new_zero(&g.labels, cells * sizeof *g.labels, "groups");
    if (status != TIPS_OK) {
        tips__groups_free(&g);
        return status;
    }
    for (int i = 0; i < s->grid.n_cells; i++) {
        char label[sizeof *g.labels];
        g.of[i] = -1;
        if (!s->runs[i].done) continue;
        join_labels(s, i, names, label, sizeof label);
        g.of[i] = find_label(&g, label);
        if (g.of[i] >= 0) continue;
        memcpy(g.labels[g.count], label, sizeof label);
        g.of[i] = g.count++;
    }
    *out = g;
    return TIPS_OK;
}

void tips__groups_free(tips_groups *g) {
    tips__free(g->labels);
    tips__free(g->of);
    *g = (tips_groups){0};
}

tips_spread tips__study_spread(const tips_study *s, const char *value, const tips_groups *by, int a,
                               const tips_groups *and, int b) {
    tips_spread r = {.mean = NAN, .deviation = NAN, .low = NAN, .high = NAN};
    double sum = 0, square = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->grid.n_cells; i++) {
            if (by->of[i] != a || by->of[i] < 0 || (and&&and->of[i] != b)) continue;
            const double v = tips__study_value(s, i, value);
            if (isnan(v)) continue;
            if (pass == 0) sum += v, r.low = fmin(v, r.low), r.high = fmax(v, r.high), r.count++;
            else square += (v - r.mean) * (v - r.mean);
            if (pass == 0) r.mean = sum / r.count;
        }
    if (r.count > 1) r.deviation = sqrt(square / (r.count - 1));
    return r;
}

/* The metric behind a name, of the first task there is. */
static const tips_metric *find_metric(const tips_study *s, const char *value) {
    const tips_metric *task = s->grid.n_cells ? s->runs[0].task : NULL, *metric;
    if (!task) return NULL;
    if (strcmp(value, "metric") == 0 || strcmp(value, "validation") == 0) return &task[tips__metric_main(task)];
    for (int i = 0; (metric = tips__metric_at(task, i)); i++)
        if (strcmp(metric->name, value) == 0) return metric;
    return NULL;
}

bool tips__value_is_percent(const tips_study *s, const char *value) {
    const tips_metric *metric = find_metric(s, value);
    return metric && strcmp(metric->unit, "%") == 0;
}

void tips__value_title(const tips_study *s, const char *value, char *out, size_t size) {
    const tips_metric *metric = find_metric(s, value);
    const char *name = metric && metric->title ? metric->title : metric ? metric->name : value;
    snprintf(out, size, "%s%s", strcmp(value, "validation") == 0 ? "validation: " : "", name);
}

tips_status tips__analysis_chart(tips_analysis_job *job, tips_chart_kind kind, const char *title, const char *x,
                                 const char *y, int series, int points, tips_made_chart **out) {
    tips_made_chart *c;
    int nth = 1;
    for (int i = 0; i < job->charts->count; i++) nth += job->charts->charts[i]->group == job->number;
    TIPS_TRY(tips__chart_list_add(job->charts, job->number, 0, series, points > 0 ? points : 1, &c));
    snprintf(c->name, sizeof c->name, "%d-%s-%d", job->number, tips__analysis_name(job, "kind", "table"), nth);
    snprintf(c->title, sizeof c->title, "%s", title);
    snprintf(c->description, sizeof c->description, "%s: %s over %s", title, y, x);
    c->chart.kind = kind;
    TIPS_TRY(tips__chart_keep(c, x, &c->chart.x_label));
    TIPS_TRY(tips__chart_keep(c, y, &c->chart.y_label));
    *out = c;
    return TIPS_OK;
}

tips_status tips__analyses_run(const tips_study *s, FILE *text, tips_json *json, tips_chart_list *charts) {
    int number = 0;
    if (s->done == 0) return TIPS_OK; /* there is nothing to ask */
    for (const tips_yaml_node *at = s->grid.analyses ? s->grid.analyses->first : NULL; at; at = at->next) {
        const tips_analysis *analysis = tips__analysis_find(at);
        tips_analysis_job job = {
            .study = s, .options = at, .number = ++number, .text = text, .json = json, .charts = charts};
        if (!analysis) continue;
        tips__json_open_object(json, NULL);
        tips__json_text(json, "kind", analysis->name);
        tips__json_text(json, "title", tips__analysis_name(&job, "title", analysis->name));
        fprintf(text, "%s%s\n\n", number > 1 ? "\n" : "", tips__analysis_name(&job, "title", analysis->name));
        TIPS_TRY(analysis->run(&job));
        tips__json_close_object(json);
    }
    return TIPS_OK;
}

tips_status tips__study_evaluation(const tips_study *s, int cell, tips_json_node **out) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(s->runs[cell].folder, tips__eval_name, path));
    const tips_status status = tips__json_tree_load(path, out);
    if (status != TIPS_FORMAT) return status;
    TIPS_FAIL(TIPS_FORMAT, "%s: is damaged; remove it, and the same command evaluates that model again", path);
}
