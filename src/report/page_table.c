/* The table that compares the rows of a set, and what its columns mean. */
#include "report/page.h"

#include "core/number.h"
#include "report/answer_words.h"

#include "image/placement.h"

#include <math.h>
#include <string.h>

/* A column of the table. */
typedef struct column {
    int place; /* in the list of metrics */
    const tips_metric *metric;
    double best; /* of its figures as they are shown, where it stands apart from the others; or not a number */
    int images;  /* that it is of; 0 if not of the same number for all rows */
} column;

typedef struct column_list {
    column of[TIPS_MOST_METRICS];
    int count;
} column_list;

void tips__page_say(tips_text *out, const char *text) { tips__xml_escape(out, text); }

void tips__page_label(tips_text *out, const tips_report_row *row) {
    tips__text_print(out, "<span class=\"dot\" style=\"background:var(--s%d)\"></span>",
                     row->look % TIPS_SERIES_PAINTS);
    tips__page_say(out, row->label);
}

static bool is_better(const tips_metric *metric, double value, double than) {
    return metric->better == TIPS_LOWER ? value < than : value > than;
}

static double shown(double value) { return round(100 * value); }

static double best_of(const tips_report_data *r, int set, const column *c) {
    double best = NAN;
    for (int i = 0; i < r->n_rows; i++) {
        const double value = tips__report_cell(r, i, c->place).value.value;
        if (r->rows[i].set == set && (isnan(best) || is_better(c->metric, value, best))) best = value;
    }
    return best;
}

/* The only run of a row, by its pictures; NULL where it has several. */
static const tips_picture_values *pictures_of(const tips_report_data *r, int row) {
    if (r->rows[row].evaluated != 1) return NULL;
    for (int i = 0; i < r->n_runs; i++)
        if (r->runs[i].row == row && r->runs[i].evaluation.data) return &r->runs[i].evaluation.each;
    return NULL;
}

/* Of one figure of two rows, picture by picture; false where that was not kept. */
static bool differ(const tips_report_data *r, const tips_metric *metric, int better, int worse, tips_paired *out) {
    const tips_picture_values *a = pictures_of(r, worse), *b = pictures_of(r, better);
    for (int i = 0; a && b && i < TIPS_PICTURE_VALUES; i++)
        if (b->names[i] && strcmp(b->names[i], metric->name) == 0) return tips__picture_values_differ(a, b, i, out);
    return false;
}

/* Whether the interval of the difference leaves out 0, or, where there is none, the intervals or the ranges of seeds do
 * not meet. */
static bool is_apart(const tips_report_data *r, const column *c, int better, int worse) {
    const tips_figure a = tips__report_cell(r, better, c->place).value, b = tips__report_cell(r, worse, c->place).value;
    const bool lower = c->metric->better == TIPS_LOWER;
    tips_paired p;
    if (differ(r, c->metric, better, worse, &p)) return lower ? p.difference.high < 0 : p.difference.low > 0;
    return lower ? a.high < b.low : a.low > b.high;
}

/* What is bold: the best, if all that are not as good are worse beyond doubt. */
static double clear_best(const tips_report_data *r, int set, const column *c) {
    const double best = best_of(r, set, c);
    int worse = 0;
    if (c->metric->better == TIPS_NEITHER) return NAN;
    for (int i = 0; i < r->n_rows; i++) {
        const tips_figure one = tips__report_cell(r, i, c->place).value;
        if (r->rows[i].set != set || isnan(one.value) || shown(one.value) != shown(best)) continue;
        for (int k = 0; k < r->n_rows; k++) {
            const tips_figure other = tips__report_cell(r, k, c->place).value;
            if (r->rows[k].set != set || isnan(other.value) || shown(other.value) == shown(best)) continue;
            if (!is_apart(r, c, i, k)) return NAN;
            worse++;
        }
    }
    return worse > 0 ? shown(best) : NAN;
}

/* How many pictures a column is of: those of the heat map, or all. */
static int images_of(const tips_report_data *r, int set, const tips_metric *metric) {
    int images = -1;
    for (int i = 0; i < r->n_runs; i++) {
        const tips_report_evaluation *e = &r->runs[i].evaluation;
        if (!tips__report_is_in(r, &r->runs[i], set) || !e->data) continue;
        const int of_run = metric->need == TIPS_NEEDS_HEATMAP ? e->shift[metric->kind].map_images : e->images;
        if (images >= 0 && of_run != images) return 0;
        images = of_run;
    }
    return images > 0 ? images : 0;
}

static void add_cell(tips_text *out, const tips_report_cell *c, double best) {
    char number[TIPS_NUMBER_SIZE];
    if (c->count == 0) {
        tips__text_add(out, "<td>&#8211;</td>");
        return;
    }
    const bool is_best = shown(c->value.value) == best;
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

static column_list columns_of(const tips_report_data *r, int set) {
    int metrics[TIPS_MOST_METRICS];
    const int count = tips__report_columns(r->sets[set].task, metrics);
    column_list out = {.count = 0};
    for (int i = 0; i < count; i++) {
        if (!is_shown(r, set, metrics[i])) continue;
        column *c = &out.of[out.count++];
        *c = (column){.place = metrics[i], .metric = tips__metric_at(r->sets[set].task, metrics[i])};
        c->best = clear_best(r, set, c);
        c->images = images_of(r, set, c->metric);
    }
    return out;
}

static void add_row(tips_text *out, const tips_report_data *r, int row, const column_list *columns, bool seeds) {
    tips__text_add(out, "<tr><th scope=\"row\" data-value=\"");
    tips__page_say(out, r->rows[row].label);
    tips__text_add(out, "\">");
    tips__page_label(out, &r->rows[row]);
    if (r->rows[row].val_is_test) tips__text_add(out, " <abbr title=\"chosen on the test pictures\">*</abbr>");
    tips__text_add(out, "</th>");
    if (seeds) tips__text_print(out, "<td data-value=\"%d\">%d</td>", r->rows[row].evaluated, r->rows[row].evaluated);
    for (int i = 0; i < columns->count; i++) {
        const tips_report_cell cell = tips__report_cell(r, row, columns->of[i].place);
        add_cell(out, &cell, columns->of[i].best);
    }
    tips__text_add(out, "</tr>\n");
}

static void add_meanings(tips_text *out, const column_list *columns) {
    tips__text_add(out, "<details><summary class=\"small\">What the columns mean</summary>\n<dl class=\"small\">");
    for (int i = 0; i < columns->count; i++)
        tips__text_print(out, "<dt>%s</dt><dd>%s</dd>\n", columns->of[i].metric->title, columns->of[i].metric->help);
    tips__text_add(out, "</dl></details>\n");
}

/* "picture": pictures are larger than the input, and more of them comes in. */
static void add_border(tips_text *out, const char *border) {
    if (!border) return;
    tips__text_add(out, "Under standard shifts ");
    if (strcmp(border, "picture") == 0) tips__text_add(out, "what lies beside the input's window of the picture");
    else if (strcmp(border, "mean") == 0) tips__text_add(out, "the mean colour, which is zero once normalised,");
    else if (strcmp(border, "grey") == 0) tips__text_print(out, "grey (%d of 255), as around the pictures,", TIPS_GREY);
    else tips__text_add(out, "black");
    tips__text_add(out, " comes in at the border. ");
}

static void add_legend(tips_text *out, const tips_report_data *r, int index, bool seeds, bool starred) {
    const tips_report_set *set = &r->sets[index];
    tips__text_print(out, "<p class=\"small\">%s of the pictures whose number stands above each column%s, protocol ",
                     tips__answer_words(r, index)->units,
                     set->images_differ ? " (not the same number for every run)" : "");
    tips__page_say(out, set->protocol);
    tips__text_add(out, ". ");
    add_border(out, set->border);
    tips__text_add(out, seeds ? "Mean and, with several seeds, &#177; the deviation of the sample; "
                              : "Below each figure its 95 % interval; ");
    tips__text_add(
        out,
        seeds ? "the best of a column is bold where its seeds are all better than those of the others; "
              : "the best of a column is bold where it is better than each of the others by the 95 % interval of the "
                "difference on the same pictures or, where pictures were not kept, by intervals that lie apart; ");
    tips__text_add(out, "MSB is neither good nor bad.");
    if (starred) tips__text_add(out, " * chosen on the test pictures: no independent result.");
    tips__text_add(out, "</p>\n");
}

static void add_heading(tips_text *out, const column *c) {
    tips__text_print(out, "<th scope=\"col\">%s", c->metric->title);
    if (c->images > 0) tips__text_print(out, "<small>of %d</small>", c->images);
    tips__text_add(out, "</th>");
}

void tips__page_table(tips_text *out, const tips_report_data *r, int set) {
    const column_list columns = columns_of(r, set);
    bool seeds = false, starred = false;
    for (int i = 0; i < r->n_rows; i++) {
        if (r->rows[i].set != set) continue;
        seeds |= r->rows[i].evaluated > 1;
        starred |= r->rows[i].val_is_test;
    }
    tips__text_add(out, "<p class=\"small hint\">The table is wider than the screen: move it sideways.</p>\n"
                        "<div class=\"scroll card\" tabindex=\"0\" role=\"region\" aria-label=\"Results\">"
                        "<table class=\"results\"><thead><tr>");
    tips__text_print(out, "<th scope=\"col\">%s</th>", r->what ? r->what : "operator");
    if (seeds) tips__text_add(out, "<th scope=\"col\">seeds</th>");
    for (int i = 0; i < columns.count; i++) add_heading(out, &columns.of[i]);
    tips__text_add(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < r->n_rows; i++)
        if (r->rows[i].set == set) add_row(out, r, i, &columns, seeds);
    tips__text_add(out, "</tbody></table></div>\n");
    add_legend(out, r, set, seeds, starred);
    add_meanings(out, &columns);
}
