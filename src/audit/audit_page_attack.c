/* The part of an audit's page on attacked and corrupted pictures. */
#include "audit/audit_page_parts.h"

#include "attack/attack_json.h"
#include "chart/chart_list.h"
#include "report/page.h"

#include <math.h>

static void add_value(tips_text *out, double value) {
    tips__text_add(out, "<td>");
    tips__text_fixed(out, value, 2);
    tips__text_add(out, "</td>");
}

/* With its interval below, if it has one. */
static void add_figure(tips_text *out, tips_figure f) {
    tips__text_add(out, "<td>");
    tips__text_fixed(out, f.value, 2);
    if (!isnan(f.low)) {
        tips__text_add(out, "<small>");
        tips__text_fixed(out, f.low, 1);
        tips__text_add(out, "\xe2\x80\x93");
        tips__text_fixed(out, f.high, 1);
        tips__text_add(out, "</small>");
    }
    tips__text_add(out, "</td>");
}

static void add_case(tips_text *out, const char *name, const tips_figures *f) {
    static const tips_common_metric shown[] = {TIPS_METRIC_STANDARD_CONSISTENCY, TIPS_METRIC_STANDARD_FIDELITY,
                                               TIPS_METRIC_CIRCULAR_CONSISTENCY, TIPS_METRIC_CIRCULAR_FIDELITY};
    const tips_figure main = f->own[tips__metric_main(f->task)];
    tips__text_add(out, "<tr>");
    tips__audit_cell(out, name);
    add_figure(out, main);
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) add_figure(out, f->common[shown[i]]);
    tips__text_add(out, "</tr>\n");
}

static void add_cases(tips_text *out, const tips_attack_result *r) {
    const tips_metric *task = r->clean_figures.task;
    const char *const columns[] = {"pictures",
                                   task[tips__metric_main(task)].name,
                                   "consistency, standard",
                                   "fidelity, standard",
                                   "consistency, circular",
                                   "fidelity, circular",
                                   NULL};
    tips__audit_open_table(out, "Attacked and corrupted pictures", columns);
    add_case(out, "clean", &r->clean_figures);
    for (int i = 0; i < r->done; i++) add_case(out, r->plan.cases[i].name, &r->figures[i]);
    tips__audit_close_table(out);
}

static bool was_measured(const tips_corruption_result *row) {
    for (int s = 0; s < TIPS_SEVERITIES; s++)
        if (!isnan(row->error[s])) return true;
    return false;
}

static void add_corruption(tips_text *out, const tips_attack_result *r, int i) {
    const tips_corruption_result *row = &r->summary.rows[i];
    tips__text_add(out, "<tr>");
    tips__audit_cell(out, tips__corruptions[i].name);
    for (int s = 0; s < TIPS_SEVERITIES; s++) add_value(out, row->error[s]);
    add_value(out, row->mean);
    add_value(out, r->summary.counted > 0 ? row->ce : NAN);
    tips__text_add(out, "</tr>\n");
}

static void add_means(tips_text *out, const tips_corruption_summary *s) {
    tips__text_add(out, "<p>");
    if (s->measured > 0) {
        tips__text_print(out, "Mean error over %d corruption%s: ", s->measured, s->measured == 1 ? "" : "s");
        tips__text_fixed(out, s->error, 2);
        tips__text_add(out, ". ");
    }
    if (s->counted > 0) {
        tips__text_print(out, "mCE over %d: ", s->counted);
        tips__text_fixed(out, s->mce, 2);
        tips__text_add(out, ", relative ");
        tips__text_fixed(out, s->relative, 2);
        tips__text_add(out, ". ");
    }
    tips__page_say(out, tips__attack_not_comparable);
    tips__text_add(out, "</p>\n");
}

static void add_corruptions(tips_text *out, const tips_attack_result *r) {
    static const char *const columns[] = {"error of", "1", "2", "3", "4", "5", "mean", "CE", NULL};
    int measured = 0;
    for (int i = 0; i < TIPS_CORRUPTIONS; i++) measured += was_measured(&r->summary.rows[i]);
    if (measured == 0) return;
    tips__audit_open_table(out, "Errors by severity", columns);
    for (int i = 0; i < TIPS_CORRUPTIONS; i++)
        if (was_measured(&r->summary.rows[i])) add_corruption(out, r, i);
    tips__audit_close_table(out);
    add_means(out, &r->summary);
}

static tips_status add_curves(tips_text *out, const tips_attack_result *r) {
    tips_chart_list charts = {0};
    const tips_status status = tips__attack_charts(r, &charts);
    if (status == TIPS_OK && charts.count > 0) tips__text_add(out, "<div class=\"grid\">\n");
    for (int i = 0; i < charts.count && status == TIPS_OK; i++) {
        tips__text_add(out, "<figure class=\"card\">");
        tips__chart_inline(out, &charts.charts[i]->chart);
        tips__text_add(out, "</figure>\n");
    }
    if (status == TIPS_OK && charts.count > 0) tips__text_add(out, "</div>\n");
    tips__chart_list_free(&charts);
    return status;
}

tips_status tips__audit_page_attack(tips_text *out, const tips_attack_result *r) {
    if (r->plan.count == 0) return TIPS_OK;
    tips__text_add(out, "<h2 id=\"attacks\">Attacked and corrupted pictures</h2>\n<p class=\"lead\">Every picture is "
                        "changed first, then measured as above. Percent; below a figure is its 95 % interval.");
    if (r->interrupted)
        tips__text_print(out, " Interrupted: %d of %d kinds of pictures were measured.", r->done, r->plan.count);
    tips__text_add(out, "</p>\n");
    add_cases(out, r);
    add_corruptions(out, r);
    return add_curves(out, r);
}
