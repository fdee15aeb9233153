/* The first paragraph: what came out, in words; and what circular exactness is not. */
#include "report/answer_words.h"
#include "report/page.h"
#include "task/detect_score.h"

#include <math.h>
#include <string.h>

/* 97.8, but never 100 for less than all. */
static void add_percent(tips_text *out, double value) {
    tips__text_fixed(out, value < 100 && value > 99.9 ? 99.9 : value, value >= 100 ? 0 : 1);
    tips__text_add(out, "&#160;%");
}

static double of(const tips_report_data *r, int row, tips_common_metric metric) {
    return tips__report_common_cell(r, row, metric).value.value;
}

static bool kept_all(const tips_report_data *r, int row) {
    const double worst = of(r, row, TIPS_METRIC_CIRCULAR_WORST_CONSISTENCY);
    return of(r, row, TIPS_METRIC_CIRCULAR_CONSISTENCY) >= 100 && (isnan(worst) || worst >= 100);
}

static const tips_answer_words *words_of(const tips_report_data *r, int row) {
    return tips__answer_words(r, r->rows[row].set);
}

/* A detector that shows no box on any picture keeps all of them: that is no stability. */
static bool shows_nothing(const tips_report_data *r, int row) {
    if (r->sets[r->rows[row].set].task != tips__detect_metrics) return false;
    return tips__report_cell(r, row, TIPS_DETECT_STANDARD_DAP).count > 0 &&
           tips__report_cell(r, row, TIPS_DETECT_STANDARD_VANISHING).count == 0;
}

/* Whether there is something to say of a row of a set. */
static bool is_told(const tips_report_data *r, int row, int set) {
    return r->rows[row].set == set && r->rows[row].evaluated > 0 && !shows_nothing(r, row);
}

static void add_name(tips_text *out, const tips_report_row *row) {
    tips__text_add(out, "<strong>");
    tips__page_say(out, row->label);
    tips__text_add(out, "</strong>");
}

static int exact_rows(const tips_report_data *r, int set, bool exact) {
    int count = 0;
    for (int i = 0; i < r->n_rows; i++) count += is_told(r, i, set) && kept_all(r, i) == exact;
    return count;
}

/* "a, b and c": each row of a kind with what `add` says of it. */
static void list(tips_text *out, const tips_report_data *r, int set, bool exact,
                 void (*add)(tips_text *, const tips_report_data *, int)) {
    const int count = exact_rows(r, set, exact);
    for (int i = 0, n = 0; i < r->n_rows; i++) {
        if (!is_told(r, i, set) || kept_all(r, i) != exact) continue;
        if (n > 0) tips__text_add(out, n == count - 1 ? " and " : ", ");
        add(out, r, i);
        n++;
    }
}

static void add_label(tips_text *out, const tips_report_data *r, int row) { add_name(out, &r->rows[row]); }

/* Of several seeds there is a range, which the table tells. */
static void add_interval(tips_text *out, const tips_report_cell *c) {
    if (c->count > 1 || isnan(c->value.low)) return;
    tips__text_add(out, " (");
    tips__text_fixed(out, c->value.low, 1);
    tips__text_add(out, "&#8211;");
    tips__text_fixed(out, c->value.high, 1);
    tips__text_add(out, ")");
}

static void add_share(tips_text *out, const tips_report_data *r, int row, tips_common_metric metric) {
    const tips_report_cell cell = tips__report_common_cell(r, row, metric);
    add_percent(out, cell.value.value);
    add_interval(out, &cell);
}

/* "94.7 % (92.1-96.5) of the answers". */
static void add_kept(tips_text *out, const tips_report_data *r, int row, tips_common_metric metric) {
    const tips_answer_words *words = words_of(r, row);
    tips__text_add(out, words->kept[0]);
    add_share(out, r, row, metric);
    tips__text_add(out, words->kept[1]);
}

/* What people see of it, before what is measured over all sizes. */
static void add_one_pixel(tips_text *out, const tips_report_data *r, int row) {
    const tips_answer_words *words = words_of(r, row);
    const tips_report_cell standard = tips__report_one_pixel(r, row, TIPS_STANDARD);
    const tips_report_cell circular = tips__report_one_pixel(r, row, TIPS_CIRCULAR);
    if (standard.count == 0 || circular.count == 0) return;
    tips__text_add(out, "At a shift of one pixel, ");
    tips__text_add(out, words->one_pixel[0]);
    add_percent(out, standard.value.value);
    add_interval(out, &standard);
    tips__text_print(out, "%s under standard shifts, ", words->one_pixel[1]);
    add_percent(out, circular.value.value);
    add_interval(out, &circular);
    tips__text_add(out, " under circular ones. ");
}

static void add_standard(tips_text *out, const tips_report_data *r, int row) {
    add_kept(out, r, row, TIPS_METRIC_STANDARD_CONSISTENCY);
    if (exact_rows(r, r->rows[row].set, true) < 2) return;
    tips__text_add(out, " (");
    tips__page_say(out, r->rows[row].label);
    tips__text_add(out, ")");
}

static void add_both(tips_text *out, const tips_report_data *r, int row) {
    add_name(out, &r->rows[row]);
    tips__text_add(out, " keeps ");
    add_kept(out, r, row, TIPS_METRIC_CIRCULAR_CONSISTENCY);
    tips__text_add(out, " under circular and ");
    add_share(out, r, row, TIPS_METRIC_STANDARD_CONSISTENCY);
    tips__text_add(out, " under standard shifts");
}

static void summarise_set(tips_text *out, const tips_report_data *r, int set) {
    const int exact = exact_rows(r, set, true), others = exact_rows(r, set, false);
    if (exact + others == 0) return;
    tips__text_add(out, "<p class=\"summary\">");
    if (r->n_sets > 1) {
        tips__text_add(out, "On ");
        tips__page_say(out, r->sets[set].name);
        tips__text_add(out, ": ");
    }
    for (int i = 0; i < r->n_rows && exact + others == 1; i++)
        if (is_told(r, i, set)) add_one_pixel(out, r, i);
    if (exact > 0) {
        list(out, r, set, true, add_label);
        tips__text_print(out,
                         " %s under every circular shift that was tried. Under standard shifts, where "
                         "new pixels enter at the border, %s ",
                         exact > 1 ? "keep their answers" : "keeps its answer", exact > 1 ? "they keep" : "it keeps");
        list(out, r, set, true, add_standard);
        tips__text_add(out, ". ");
    }
    if (others > 0) {
        list(out, r, set, false, add_both);
        tips__text_add(out, ". ");
    }
    tips__text_add(out, "</p>\n");
}

static void tell_silent(tips_text *out, const tips_report_data *r) {
    for (int i = 0; i < r->n_rows; i++) {
        if (r->rows[i].evaluated == 0 || !shows_nothing(r, i)) continue;
        tips__text_add(out, "<p class=\"summary\">");
        add_name(out, &r->rows[i]);
        tips__text_add(out, " shows no box on any of the pictures, so there is nothing that a shift could change: its "
                            "consistency says nothing.</p>\n");
    }
}

void tips__page_summary(tips_text *out, const tips_report_data *r) {
    for (int set = 0; set < r->n_sets; set++) summarise_set(out, r, set);
    tell_silent(out, r);
    tips__text_add(
        out,
        "<div class=\"note\"><p><strong>Circular exactness is not standard-shift exactness.</strong> A circular shift "
        "wraps the picture around: nothing is lost, and an exact operator with circular padding gives the same answer "
        "to "
        "the last bit. A standard shift, as a camera that moves makes it, pushes pixels out on one side and brings new "
        "ones in on the other. What is gone is gone, and no operator can promise the same answer. Both are shown "
        "throughout, side by side.</p></div>\n");
    if (r->n_notes == 0) return;
    tips__text_add(out, "<div class=\"note warn\"><ul>\n");
    for (int i = 0; i < r->n_notes; i++) {
        tips__text_add(out, "<li>");
        tips__page_say(out, r->notes[i]);
        tips__text_add(out, "</li>\n");
    }
    tips__text_add(out, "</ul></div>\n");
}
