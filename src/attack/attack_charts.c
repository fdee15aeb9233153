/* Curves: the main metric and the consistencies over the strength of each attack, the error over severities. */
#include "attack/attack_json.h"

#include "core/fail.h"
#include "core/make_folder.h"

#include <math.h>
#include <stdio.h>

typedef struct curve {
    const tips_attack_result *result;
    int attack;   /* in the plan */
    double scale; /* of its strength */
} curve;

static int points_of(const curve *c) {
    int count = 1; /* unattacked */
    for (int i = 0; i < c->result->done; i++) count += c->result->plan.cases[i].attack == c->attack;
    return count;
}

/* Behind those that are no stronger: strengths are written in any order. */
static void put_point(tips_chart_series *s, int count, double x, tips_figure figure) {
    const double bound = figure.value;
    int at = count;
    for (; at > 0 && s->x[at - 1] > x; at--) {
        s->x[at] = s->x[at - 1], s->y[at] = s->y[at - 1];
        s->low[at] = s->low[at - 1], s->high[at] = s->high[at - 1];
    }
    s->x[at] = x;
    s->y[at] = figure.value;
    s->low[at] = isnan(figure.low) ? bound : figure.low;
    s->high[at] = isnan(figure.high) ? bound : figure.high;
}

static void fill_series(const curve *c, int metric, const char *name, int look, tips_chart_series *s) {
    const tips_attack_result *r = c->result;
    int at = 0;
    s->name = name;
    s->look = look;
    s->count = points_of(c);
    put_point(s, at++, 0, tips__figure_at(&r->clean_figures, metric));
    for (int i = 0; i < r->done; i++)
        if (r->plan.cases[i].attack == c->attack)
            put_point(s, at++, c->scale * tips__attack_strength(&r->plan, &r->plan.cases[i]),
                      tips__figure_at(&r->figures[i], metric));
}

static tips_status add_curve(const curve *c, bool shifts, tips_chart_list *list) {
    const tips_attack_spec *spec = &c->result->plan.attacks[c->attack];
    const tips_metric *task = c->result->clean_figures.task;
    double scale;
    const int metrics[3] = {tips__metric_main(task), tips__metric_index(task, TIPS_METRIC_STANDARD_CONSISTENCY),
                            tips__metric_index(task, TIPS_METRIC_CIRCULAR_CONSISTENCY)};
    const char *variant = spec->method->variant(&spec->config), *axis = spec->method->axis(&spec->config, &scale);
    const curve scaled = {c->result, c->attack, scale};
    tips_made_chart *made;
    TIPS_TRY(tips__chart_list_add(list, 0, 0, shifts ? 3 : 1, points_of(c), &made));
    snprintf(made->name, sizeof made->name, "%s%s%s-%d", spec->method->name, variant[0] ? "-" : "", variant,
             c->attack + 1);
    snprintf(made->title, sizeof made->title, "%s %s", spec->method->name, variant);
    snprintf(made->description, sizeof made->description, "How right and how stable answers are over the %s of %s.",
             spec->method->strength, spec->method->name);
    made->chart.kind = TIPS_CHART_LINES;
    made->chart.x_label = axis;
    made->chart.y_label = "percent";
    made->chart.percent = true;
    made->chart.x_parts = true;
    for (int i = 0; i < made->chart.n_series; i++) {
        const tips_metric *metric = tips__metric_at(task, metrics[i]);
        fill_series(&scaled, metrics[i], metric->title ? metric->title : metric->name, i, &made->series[i]);
    }
    return TIPS_OK;
}

static bool has_shifts(const tips_attack_result *r) {
    return !isnan(r->clean_figures.common[TIPS_METRIC_STANDARD_CONSISTENCY].value);
}

static tips_status add_severities(const tips_attack_result *r, tips_chart_list *list) {
    tips_made_chart *made;
    int measured = 0;
    for (int i = 0; i < TIPS_CORRUPTIONS; i++) measured += !isnan(r->summary.rows[i].mean);
    if (measured == 0) return TIPS_OK;
    TIPS_TRY(tips__chart_list_add(list, 0, 0, measured, TIPS_SEVERITIES, &made));
    snprintf(made->name, sizeof made->name, "corruptions");
    snprintf(made->title, sizeof made->title, "Error by severity");
    snprintf(made->description, sizeof made->description, "The error over severities, one line a corruption.");
    made->chart.kind = TIPS_CHART_LINES;
    made->chart.x_label = "severity";
    made->chart.y_label = "error, %";
    made->chart.percent = true;
    tips_chart_series *s = made->series;
    for (int i = 0; i < TIPS_CORRUPTIONS; i++) {
        if (isnan(r->summary.rows[i].mean)) continue;
        s->name = tips__corruptions[i].name;
        s->look = (int)(s - made->series);
        s->count = TIPS_SEVERITIES;
        s->low = s->high = NULL;
        for (int k = 0; k < TIPS_SEVERITIES; k++) s->x[k] = k + 1, s->y[k] = r->summary.rows[i].error[k];
        s++;
    }
    return TIPS_OK;
}

tips_status tips__attack_charts(const tips_attack_result *r, tips_chart_list *list) {
    for (int i = 0; i < r->plan.n_attacks; i++) {
        const curve c = {r, i, 1};
        if (points_of(&c) > 1) TIPS_TRY(add_curve(&c, has_shifts(r), list));
    }
    return add_severities(r, list);
}

tips_status tips__attack_save_charts(const tips_attack_result *r, const char *folder) {
    tips_chart_list list = {0};
    TIPS_TRY(tips__make_folder(folder));
    tips_status status = tips__attack_charts(r, &list);
    for (int i = 0; i < list.count && status == TIPS_OK; i++) {
        const tips_chart *chart = &list.charts[i]->chart;
        status = tips__charts_save(&chart, 1, folder, chart->name);
    }
    tips__chart_list_free(&list);
    return status;
}
