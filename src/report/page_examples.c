/* Pictures before and after a shift, an arrow for the shift, and what each model answers. */
#include "report/page.h"

#include <math.h>
#include <stdio.h>

enum { SIDE = 120, MIDDLE = 72, TOP = 18 };

static void add_shift(tips_text *out, const int shift[2]) {
    if (shift[0]) tips__text_print(out, "%d px %s", shift[0] < 0 ? -shift[0] : shift[0], shift[0] < 0 ? "up" : "down");
    if (shift[0] && shift[1]) tips__text_add(out, ", ");
    if (shift[1])
        tips__text_print(out, "%d px %s", shift[1] < 0 ? -shift[1] : shift[1], shift[1] < 0 ? "left" : "right");
}

static void add_picture(tips_text *out, const tips_report_example *e, int which, double x, double w, double h) {
    tips__text_add(out, "<image x=\"");
    tips__text_short(out, x, 1);
    tips__text_print(out, "\" y=\"%d\" width=\"", TOP);
    tips__text_short(out, w, 1);
    tips__text_add(out, "\" height=\"");
    tips__text_short(out, h, 1);
    tips__text_add(out, "\" preserveAspectRatio=\"none\" href=\"data:image/png;base64,");
    tips__text_add(out, e->picture[which]);
    tips__text_add(out, "\"/>");
}

/* As the picture moved, much longer than it did. */
static void add_arrow(tips_pen *pen, const int shift[2], double x, double y) {
    const double length = hypot(shift[0], shift[1]), uy = shift[0] / length, ux = shift[1] / length;
    const double reach = 17, head = 8;
    const tips_point tip = {x + reach * ux, y + reach * uy}, back = {tip.x - head * ux, tip.y - head * uy};
    pen->path(pen, (tips_point[]){{x - reach * ux, y - reach * uy}, back}, 2,
              &(tips_style){.stroke = TIPS_PAINT_INK, .width = 3});
    pen->path(pen, (tips_point[]){tip, {back.x - 6 * uy, back.y + 6 * ux}, {back.x + 6 * uy, back.y - 6 * ux}}, 3,
              &(tips_style){.fill = TIPS_PAINT_INK, .closed = true});
}

/* Where the picture's own edge went. */
static void add_edge(tips_pen *pen, const tips_report_example *e, double x, double w, double h) {
    const double dx = e->shift[1] * w / e->size[1], dy = e->shift[0] * h / e->size[0];
    const tips_style style = {.stroke = TIPS_PAINT_SERIES + 1, .width = 1.6, .dash = 1};
    if (e->shift[1]) {
        const double at = e->shift[1] > 0 ? x + dx : x + w + dx;
        pen->path(pen, (tips_point[]){{at, TOP}, {at, TOP + h}}, 2, &style);
    }
    if (e->shift[0]) {
        const double at = e->shift[0] > 0 ? TOP + dy : TOP + h + dy;
        pen->path(pen, (tips_point[]){{x, at}, {x + w, at}}, 2, &style);
    }
}

static void label(tips_pen *pen, double x, double y, const char *text) {
    pen->text(pen, x, y, text, &(tips_style){.fill = TIPS_PAINT_MUTED, .size = 11.5, .anchor = TIPS_ANCHOR_MIDDLE});
}

static void add_drawing(tips_text *out, const tips_report_example *e, int index) {
    const double longer = e->size[0] > e->size[1] ? e->size[0] : e->size[1];
    const double w = SIDE * e->size[1] / longer, h = SIDE * e->size[0] / longer, right = w + MIDDLE;
    const double middle = w + MIDDLE / 2.0;
    tips_svg_pen pen = tips__svg_pen(out);
    char text[64];
    tips__text_add(out, "<svg class=\"pictures\" viewBox=\"0 0 ");
    tips__text_short(out, right + w, 1);
    tips__text_add(out, " ");
    tips__text_short(out, TOP + h + 4, 1);
    tips__text_print(out, "\" role=\"img\" aria-labelledby=\"example-%d-t\"><title id=\"example-%d-t\">", index, index);
    tips__text_add(out, "The picture before and after a shift by ");
    add_shift(out, e->shift);
    tips__text_add(out, "</title>");
    label(&pen.pen, w / 2, 12, "before");
    label(&pen.pen, right + w / 2, 12, "after");
    add_picture(out, e, 0, 0, w, h);
    add_picture(out, e, 1, right, w, h);
    add_edge(&pen.pen, e, right, w, h);
    add_arrow(&pen.pen, e->shift, middle, TOP + h / 2 - 16);
    snprintf(text, sizeof text, "dy %d", e->shift[0]);
    label(&pen.pen, middle, TOP + h / 2 + 22, text);
    snprintf(text, sizeof text, "dx %d", e->shift[1]);
    label(&pen.pen, middle, TOP + h / 2 + 37, text);
    tips__text_add(out, "</svg>\n");
}

static void add_image(tips_text *out, const char *picture, const char *what) {
    tips__text_print(out, "<img alt=\"%s\" src=\"data:image/png;base64,", what);
    tips__text_add(out, picture);
    tips__text_add(out, "\"/>");
}

static void add_said(tips_text *out, const tips_report_said *said) {
    tips__text_add(out, "<td>");
    if (said->picture) {
        add_image(out, said->picture, "the answer");
    }
    tips__page_say(out, said->text);
    if (!isnan(said->share)) {
        tips__text_add(out, said->right ? " <small>" : " <small>(wrong) ");
        tips__text_fixed(out, said->share, 0);
        tips__text_add(out, "&#160;%</small>");
    }
    tips__text_add(out, "</td>");
}

static void add_verdict(tips_text *out, const tips_report_answer *a) {
    tips__text_add(out, a->keeps ? "<td class=\"keeps\">&#10003; keeps" : "<td class=\"flips\">&#10007; flips");
    if (a->agree > 0 && a->agree < 1) {
        tips__text_add(out, " <small>");
        tips__text_fixed(out, 100 * a->agree, 0);
        tips__text_add(out, "&#160;% agree</small>");
    }
    tips__text_add(out, "</td></tr>\n");
}

static void add_answers(tips_text *out, const tips_report_data *r, const tips_report_example *e) {
    tips__text_print(out,
                     "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Answers\"><table><thead><tr>"
                     "<th scope=\"col\">%s</th><th scope=\"col\">before</th><th scope=\"col\">after</th>"
                     "<th scope=\"col\">answer</th></tr></thead><tbody>\n",
                     r->what ? r->what : "operator");
    for (int i = 0; i < e->n_answers; i++) {
        const tips_report_answer *a = &e->answers[i];
        tips__text_add(out, "<tr><th scope=\"row\">");
        tips__page_label(out, &r->rows[a->row]);
        tips__text_add(out, "</th>");
        add_said(out, &a->before);
        add_said(out, &a->after);
        add_verdict(out, a);
    }
    tips__text_add(out, "</tbody></table></div>\n");
}

static void add_view(tips_text *out, const char *picture, const char *what, const char *caption) {
    tips__text_add(out, "<td>");
    if (picture) add_image(out, picture, what);
    tips__text_add(out, "<small>");
    tips__page_say(out, caption);
    tips__text_add(out, "</small></td>");
}

static void add_change(tips_text *out, const tips_report_answer *a) {
    tips__text_add(out, "<td>");
    add_image(out, a->difference, "where the answers differ");
    tips__text_print(out, "<small class=\"%s\">", a->keeps ? "keeps" : "flips");
    tips__text_fixed(out, a->agree < 1 && a->agree > 0.9999 ? 99.99 : 100 * a->agree, 2);
    tips__text_add(out, "&#160;% same</small></td>");
}

/* Pictures in rows: what was shown and what is right, then the answers of each model and where they differ. */
static void add_drawn(tips_text *out, const tips_report_data *r, const tips_report_example *e) {
    tips__text_add(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Pictures and answers\">"
                        "<table class=\"drawn\"><thead><tr><th></th><th scope=\"col\">before the shift</th>"
                        "<th scope=\"col\">after</th><th scope=\"col\">what changed</th></tr></thead><tbody>\n"
                        "<tr><th scope=\"row\">picture</th>");
    add_view(out, e->picture[0], "the picture", "");
    add_view(out, e->picture[1], "the shifted picture", "");
    add_view(out, e->truth, "the truth", e->truth ? "the truth" : "");
    tips__text_add(out, "</tr>\n");
    for (int i = 0; i < e->n_answers; i++) {
        const tips_report_answer *a = &e->answers[i];
        tips__text_add(out, "<tr><th scope=\"row\">");
        tips__page_label(out, &r->rows[a->row]);
        tips__text_add(out, "</th>");
        add_view(out, a->before.picture, "the answer", a->before.text);
        add_view(out, a->after.picture, "the answer after the shift", a->after.text);
        add_change(out, a);
        tips__text_add(out, "</tr>\n");
    }
    tips__text_add(out, "</tbody></table></div>\n");
}

enum { MOST_IN_LEGEND = 40 };

static void add_legend(tips_text *out, const tips_report_data *r) {
    if (r->n_classes == 0) return;
    tips__text_add(out, "<p class=\"legend small\">");
    for (int i = 0; i < r->n_classes && i < MOST_IN_LEGEND; i++) {
        const tips_report_class *c = &r->classes[i];
        tips__text_print(out, "<span><i style=\"background:#%02x%02x%02x\"></i>", c->rgb[0], c->rgb[1], c->rgb[2]);
        tips__page_say(out, c->name ? c->name : "");
        tips__text_add(out, "</span> ");
    }
    if (r->n_classes > MOST_IN_LEGEND) tips__text_print(out, "and %d more", r->n_classes - MOST_IN_LEGEND);
    tips__text_add(out, "</p>\n");
}

static bool has_shares(const tips_report_data *r) {
    return r->examples[0].n_answers > 0 && !isnan(r->examples[0].answers[0].before.share);
}

static bool is_drawn(const tips_report_example *e) { return e->n_answers > 0 && e->answers[0].difference; }

static void add_graded_lead(tips_text *out, const tips_report_data *r) {
    tips__text_print(
        out,
        "<p class=\"lead\">Of the first %d pictures, those whose answers a shift of one or two pixels "
        "changes most%s; so not a measure of how much it does. What changed is red, with the shift undone; "
        "what only one of the views shows is dark. %s</p>\n",
        r->searched, r->n_rows > 1 ? ", and differently from model to model" : "",
        r->boxes ? "Beside each box: its class and its score in percent. Boxes that stay are grey before "
                   "the shift, and blue where they are after it. Below: how much of the boxes stays."
                 : "Beside each class: its share of the pixels. Below: how many of the pixels that both "
                   "views show keep their class.");
}

static void add_lead(tips_text *out, const tips_report_data *r) {
    if (r->graded) {
        add_graded_lead(out, r);
        return;
    }
    tips__text_print(out,
                     "<p class=\"lead\">Of the first %d pictures, some whose answer a shift of one or two pixels "
                     "changes%s; chosen to show a flip, so not a measure of how often it happens. The dashed line is "
                     "where the edge of the picture went.%s</p>\n",
                     r->searched, r->n_rows > 1 ? " under one model and not under another" : "",
                     has_shares(r) ? " Beside each class: its probability." : "");
}

static void add_example(tips_text *out, const tips_report_data *r, int index) {
    const tips_report_example *e = &r->examples[index];
    tips__text_print(
        out, "<section class=\"card example\"><h3>%s shift: ", e->kind == TIPS_STANDARD ? "Standard" : "Circular");
    add_shift(out, e->shift);
    tips__text_add(out, "</h3><p class=\"small\">");
    tips__page_say(out, e->name);
    if (e->label) tips__text_add(out, ", labelled ");
    if (e->label) tips__page_say(out, e->label);
    tips__text_add(out, "</p>\n");
    if (is_drawn(e)) add_drawn(out, r, e);
    else {
        add_drawing(out, e, index + 1);
        add_answers(out, r, e);
    }
    tips__text_add(out, "</section>\n");
}

void tips__page_examples(tips_text *out, const tips_report_data *r) {
    tips__text_print(out, "<h2 id=\"examples\">%s</h2>\n",
                     r->graded ? "Pictures whose answers change" : "Pictures whose answer flips");
    if (r->n_examples == 0) {
        tips__text_add(out, "<p class=\"lead\">");
        tips__page_say(out, r->no_examples ? r->no_examples : "None were asked for.");
        tips__text_add(out, "</p>\n");
        return;
    }
    add_lead(out, r);
    if (!r->boxes) add_legend(out, r); /* names stand beside boxes */
    tips__text_print(out, "<div class=\"grid%s\">\n", r->graded && r->n_rows == 1 ? " wide" : "");
    for (int i = 0; i < r->n_examples; i++) add_example(out, r, i);
    tips__text_add(out, "</div>\n");
}
