/* The table that compares the rows of a set, and what its columns mean. */
#include "report/page.h"

#include "core/number.h"

#include <math.h>

/* A column of the table. */
typedef struct column {
    int place; /* in the list of metrics */
    const tips_metric *metric;
    double best; /* of its figures as they are shown, or not a number */
} column;

typedef struct columns {
    column of[TIPS_MOST_METRICS];
    int count;
} columns;

void tips__page_say(tips_text *out, const char *text) { tips__xml_escape(out, text); }

void tips__page_label(tips_text *out, const tips_report_row *row) {
    tips__text_print(out, "<span class=\"dot\" style=\"background:var(--s%d)\"></span>",
                     row->look % TIPS_SERIES_PAINTS);
    tips__page_say(out, row->label);
}

static bool is_better(const tips_metric *metric, double value, double than) {
    return metric->better == TIPS_LOWER ? value < than : value > than;
}

static double best_of(const tips_report_data *r, int set, const column *c) {
    double best = NAN;
    int count = 0;
    for (int i = 0; i < r->n_rows; i++) {
        if (r->rows[i].set != set) continue;
        const double value = tips__report_cell(r, i, c->place).value.value;
        count += !isnan(value);
        if (isnan(best) || is_better(c->metric, value, best)) best = value;
    }
    return c->metric->better != TIPS_NEITHER && count > 1 ? round(100 * best) : NAN;
}

static void add_cell(tips_text *out, const tips_report_cell *c, double best) {
    char number[TIPS_NUMBER_SIZE];
    if (c->count == 0) {
        tips__text_add(out, "<td>&#8211;</td>");
        return;
    }
    const bool is_best = round(100 * c->value.value) == best;
    tips__number_format(c->value.value, number, sizeof number);
    tips__text_print(out, "<td data-value=\"%s\">%s", number, is_best ? "<b>" : "");
    tips__text_fixed(out, c->value.value, 2);
    tips__text_add(out, is_best ? "</b>" : "");
    if (c->count > 1) {
        tips__text_add(out, "<small>&#177; ");
        tips__text_fixed(out, c->deviation, 2);
        tips__text_add(out, "</small>");
    } else if (!isnan(c->value.low)) {
        tips__text_add(out, "<small>");
        tips__text_fixed(out, c->value.low, 1);
        tips__text_add(out, "&#8211;");
        tips__text_fixed(out, c->value.high, 1);
        tips__text_add(out, "</small>");
    }
    tips__text_add(out, "</td>");
}

/* The task's first metric is always there. */
static bool is_shown(const tips_report_data *r, int set, int metric) {
    for (int i = 0; i < r->n_rows; i++)
        if (r->rows[i].set == set && tips__report_cell(r, i, metric).count > 0) return true;
    return metric == 0;
}

static columns columns_of(const tips_report_data *r, int set) {
    int metrics[TIPS_MOST_METRICS];
    const int count = tips__report_columns(r->sets[set].task, metrics);
    columns out = {.count = 0};
    for (int i = 0; i < count; i++) {
        if (!is_shown(r, set, metrics[i])) continue;
        column *c = &out.of[out.count++];
        *c = (column){.place = metrics[i], .metric = tips__metric_at(r->sets[set].task, metrics[i])};
        c->best = best_of(r, set, c);
    }
    return out;
}

static void add_row(tips_text *out, const tips_report_data *r, int row, const columns *shown, bool seeds) {
    tips__text_add(out, "<tr><th scope=\"row\" data-value=\"");
    tips__page_say(out, r->rows[row].label);
    tips__text_add(out, "\">");
    tips__page_label(out, &r->rows[row]);
    if (r->rows[row].val_is_test) tips__text_add(out, " <abbr title=\"chosen on the test pictures\">*</abbr>");
    tips__text_add(out, "</th>");
    if (seeds) tips__text_print(out, "<td data-value=\"%d\">%d</td>", r->rows[row].evaluated, r->rows[row].evaluated);
    for (int i = 0; i < shown->count; i++) {
        const tips_report_cell cell = tips__report_cell(r, row, shown->of[i].place);
        add_cell(out, &cell, shown->of[i].best);
    }
    tips__text_add(out, "</tr>\n");
}

static void add_meanings(tips_text *out, const columns *shown) {
    tips__text_add(out, "<details><summary class=\"small\">What the columns mean</summary>\n<dl class=\"small\">");
    for (int i = 0; i < shown->count; i++)
        tips__text_print(out, "<dt>%s</dt><dd>%s</dd>\n", shown->of[i].metric->title, shown->of[i].metric->help);
    tips__text_add(out, "</dl></details>\n");
}

static void add_legend(tips_text *out, const tips_report_set *set, bool seeds, bool starred) {
    tips__text_print(out, "<p class=\"small\">Percent of %d pictures%s, protocol ", set->images,
                     set->images_differ ? " (not the same number for every run)" : "");
    tips__page_say(out, set->protocol);
    tips__text_add(out, ". ");
    tips__text_add(out, seeds ? "Mean and, with several seeds, &#177; the deviation of the sample; "
                              : "Below each figure its 95 % interval; ");
    tips__text_add(out, "the best of a column is bold; MSB is neither good nor bad.");
    if (starred) tips__text_add(out, " * chosen on the test pictures: no independent result.");
    tips__text_add(out, "</p>\n");
}

void tips__page_table(tips_text *out, const tips_report_data *r, int set) {
    const columns shown = columns_of(r, set);
    bool seeds = false, starred = false;
    for (int i = 0; i < r->n_rows; i++) {
        if (r->rows[i].set != set) continue;
        seeds |= r->rows[i].evaluated > 1;
        starred |= r->rows[i].val_is_test;
    }
    tips__text_add(out, "<div class=\"scroll card\" tabindex=\"0\" role=\"region\" aria-label=\"Results\">"
                        "<table class=\"results\"><thead><tr><th scope=\"col\">operator</th>");
    if (seeds) tips__text_add(out, "<th scope=\"col\">seeds</th>");
    for (int i = 0; i < shown.count; i++) tips__text_print(out, "<th scope=\"col\">%s</th>", shown.of[i].metric->title);
    tips__text_add(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < r->n_rows; i++)
        if (r->rows[i].set == set) add_row(out, r, i, &shown, seeds);
    tips__text_add(out, "</tbody></table></div>\n");
    add_legend(out, &r->sets[set], seeds, starred);
    add_meanings(out, &shown);
}
