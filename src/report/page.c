/* The page from top to bottom. */
#include "report/page.h"

#include "report/answer_words.h"

#include <stdio.h>

typedef struct heading {
    const char *anchor, *title, *lead, *grid; /* without a lead it is the task's */
} heading;

static const heading headings[TIPS_CHART_GROUPS] = {
    [TIPS_GROUP_OVERVIEW] = {NULL, NULL, NULL, "grid one"},
    [TIPS_GROUP_SIZES] = {"sizes", "By the size of the shift", NULL, "grid"},
    [TIPS_GROUP_MAPS] = {"maps", "Over the grid of shifts", NULL, "grid maps"},
    [TIPS_GROUP_MSB] = {"msb", "Maximum-sampling bias",
                        "How often a pooling layer's output is the maximum of its window: always in max pooling. The "
                        "paper behind TIPS relates this bias to how much answers depend on shifts.",
                        "grid"},
    [TIPS_GROUP_TRAINING] = {"training", "Training", "After each epoch, one line a run.", "grid"},
};

static const char *lead_of(const tips_report_data *r, int group, int set) {
    const tips_answer_words *words = tips__answer_words(r, set);
    if (headings[group].lead) return headings[group].lead;
    return group == TIPS_GROUP_MAPS ? words->over_grid : words->by_size;
}

static void add_charts(tips_text *out, const tips_chart_list *charts, int group, int set) {
    int count = 0;
    for (int i = 0; i < charts->count; i++) {
        const tips_made_chart *c = charts->charts[i];
        if ((int)c->group != group || c->set != set) continue;
        if (count++ == 0) tips__text_print(out, "<div class=\"%s\">\n", headings[group].grid);
        tips__text_add(out, "<figure class=\"card\">");
        tips__chart_inline(out, &c->chart);
        tips__text_add(out, "</figure>\n");
    }
    if (count > 0) tips__text_add(out, "</div>\n");
}

static bool has_charts(const tips_chart_list *charts, int group, int set) {
    for (int i = 0; i < charts->count; i++)
        if ((int)charts->charts[i]->group == group && charts->charts[i]->set == set) return true;
    return false;
}

static bool levels_are_from_maps(const tips_report_data *r, int set) {
    for (int i = 0; i < r->n_runs; i++)
        if (tips__report_is_in(r, &r->runs[i], set) && r->runs[i].evaluation.shift[0].levels_from_map) return true;
    return false;
}

static int map_images(const tips_report_data *r, int set) {
    for (int i = 0; i < r->n_runs; i++)
        if (tips__report_is_in(r, &r->runs[i], set) && r->runs[i].evaluation.shift[0].map_images > 0)
            return r->runs[i].evaluation.shift[0].map_images;
    return 0;
}

static bool has_seeds(const tips_report_data *r, int set) {
    for (int i = 0; i < r->n_rows; i++)
        if (r->rows[i].set == set && r->rows[i].evaluated > 1) return true;
    return false;
}

static void add_caption(tips_text *out, const tips_report_data *r, int group, int set) {
    const char *band = has_seeds(r, set) ? "mean over seeds, the band is their range" : "the band is the 95 % interval";
    tips__text_add(out, "<p class=\"lead\">");
    tips__text_add(out, lead_of(r, group, set));
    if (group == TIPS_GROUP_SIZES && levels_are_from_maps(r, set))
        tips__text_print(out,
                         " Size is the greater of |dy| and |dx|; means over the shifts of that size, of %d pictures.",
                         map_images(r, set));
    else if (group == TIPS_GROUP_SIZES) tips__text_print(out, " Size is the greater of |dy| and |dx|; %s.", band);
    if (group == TIPS_GROUP_MAPS) tips__text_print(out, " The first %d of the pictures.", map_images(r, set));
    tips__text_add(out, "</p>\n");
}

static void add_set(tips_text *out, const tips_report_data *r, const tips_chart_list *charts, int set) {
    char suffix[16] = "";
    if (set > 0) snprintf(suffix, sizeof suffix, "-%d", set + 1);
    tips__text_print(out, "<h2 id=\"results%s\">Results", suffix);
    if (r->n_sets > 1) {
        tips__text_add(out, " on ");
        tips__page_say(out, r->sets[set].name);
    }
    tips__text_add(out, "</h2>\n");
    tips__page_table(out, r, set);
    for (int group = 0; group < TIPS_CHART_GROUPS; group++) {
        if (!has_charts(charts, group, set)) continue;
        if (headings[group].title) {
            tips__text_print(out, "<h2 id=\"%s%s\">%s</h2>\n", headings[group].anchor, suffix, headings[group].title);
            add_caption(out, r, group, set);
        }
        add_charts(out, charts, group, set);
    }
}

static void add_commands(tips_text *out, const tips_report_data *r) {
    tips__text_add(out,
                   "<h2 id=\"commands\">Commands</h2>\n<p class=\"lead\">What makes these numbers again, with every "
                   "option that was given or differs from its default.</p>\n<pre>");
    for (int i = 0; i < r->n_commands; i++) {
        tips__text_add(out, "<code>");
        tips__page_say(out, r->commands[i]);
        tips__text_add(out, "\n</code>");
    }
    tips__text_add(out, "</pre>\n");
}

static void add_head(tips_text *out, const tips_report_data *r) {
    tips__page_open(out, r->title);
    tips__text_print(out, "<p class=\"meta\">%d %s", r->n_runs, r->n_runs == 1 ? "run" : "runs");
    for (int i = 0; i < r->n_sets; i++) {
        tips__text_add(out, i == 0 ? " on " : "; ");
        tips__page_say(out, r->sets[i].name);
        if (r->sets[i].images > 0) tips__text_print(out, ", %d pictures", r->sets[i].images);
    }
    tips__text_add(out, "</p></header>\n");
}

void tips__page_write(tips_text *out, const tips_report_data *r, const tips_chart_list *charts) {
    add_head(out, r);
    tips__page_summary(out, r);
    if (r->first) tips__text_add(out, r->first);
    for (int set = 0; set < r->n_sets; set++) add_set(out, r, charts, set);
    if (r->extra) tips__text_add(out, r->extra);
    if (!r->extra || r->n_examples > 0 || r->no_examples) tips__page_examples(out, r);
    add_commands(out, r);
    tips__page_close(out, r->version, r->build);
}
