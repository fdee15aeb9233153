/* Every figure of an attack under a name of its own, for requirements. */
#include "attack/attack.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_measured(const tips_metric *metric) { return metric->need == TIPS_NEEDS_NOTHING; }

/* Number `*i` of the figures of a case, counted down while it is not the one. */
static bool of_case(const tips_attack_plan *plan, const tips_metric *task, const tips_attack_result *r, int at, int *i,
                    tips_attack_figure *out) {
    const int main = tips__metric_main(task);
    const tips_metric *metric;
    for (int k = -1; k < 0 || (metric = tips__metric_at(task, k)); k++) {
        const int row = k < 0 ? main : k;
        metric = tips__metric_at(task, row);
        if (!is_measured(metric) || (*i)-- > 0) continue;
        snprintf(out->name, sizeof out->name, k < 0 ? "%s" : "%s:%s", plan->cases[at].name, metric->name);
        out->figure = r && at < r->done ? tips__figure_at(&r->figures[at], row) : tips__figure_none();
        out->better = metric->better;
        out->unit = metric->unit;
        return true;
    }
    return false;
}

static bool has(const tips_attack_plan *plan, int corruption) {
    for (int i = 0; i < plan->count; i++)
        if (plan->cases[i].corruption == corruption) return true;
    return false;
}

/* Means are of errors: lower is better. */
static bool put_error(const char *name, const char *unit, const tips_attack_result *r, double value,
                      tips_attack_figure *out) {
    snprintf(out->name, sizeof out->name, "%s", name);
    out->figure = r ? tips__figure_plain(value) : tips__figure_none();
    out->better = TIPS_LOWER;
    out->unit = unit;
    return true;
}

static bool of_corruptions(const tips_attack_plan *plan, const tips_attack_result *r, int i, tips_attack_figure *out) {
    const tips_corruption_summary none = {0}, *s = r ? &r->summary : &none;
    bool any = false;
    for (int c = 0; c < TIPS_CORRUPTIONS; c++) {
        char name[TIPS_CASE_NAME];
        if (!has(plan, c)) continue;
        any = true;
        snprintf(name, sizeof name, "%s_error", tips__corruptions[c].name);
        if (i-- == 0) return put_error(name, "%", r, s->rows[c].mean, out);
    }
    if (!any) return false;
    if (i == 0) return put_error("corruption_error", "%", r, s->error, out);
    if (i == 1) return put_error("mce", "", r, s->mce, out);
    return i == 2 && put_error("relative_mce", "", r, s->relative, out);
}

bool tips__attack_figure(const tips_attack_plan *plan, const tips_metric *task, const tips_attack_result *result, int i,
                         tips_attack_figure *out) {
    for (int at = 0; at < plan->count; at++)
        if (of_case(plan, task, result, at, &i, out)) return true;
    return of_corruptions(plan, result, i, out);
}
