/* The part of an audit's page on what was measured: how pictures became inputs and who says so, what counts as an
 * answer, and the shifts. */
#include "audit/audit_page_parts.h"

#include "core/fail.h"
#include "report/page.h"

#include <stdio.h>
#include <string.h>

/* A row without its second cell, which `end_row` closes. */
static void begin_row(tips_text *out, const char *what) {
    tips__text_add(out, "<tr><th scope=\"row\">");
    tips__page_say(out, what);
    tips__text_add(out, "</th><td class=\"words\">");
}

static void end_row(tips_text *out) { tips__text_add(out, "</td></tr>\n"); }

static void add_text_row(tips_text *out, const char *what, const char *text) {
    begin_row(out, what);
    tips__page_say(out, text);
    end_row(out);
}

static void add_model(tips_text *out, const tips_model_result *m, const tips_task *task) {
    begin_row(out, "network");
    tips__text_print(out, "%s, %d outputs; ", task->brief, m->classes);
    tips__page_say(out, m->arch);
    tips__text_print(out, ", %s padding", m->padding);
    end_row(out);
}

static void add_pictures(tips_text *out, const tips_evaluate_result *r) {
    const tips_model_result *m = &r->models[0];
    begin_row(out, "pictures");
    tips__text_print(out, "%d from ", m->images);
    tips__page_say(out, *r->data ? r->data : r->format);
    tips__text_print(out, " (%s), ", r->format);
    if (strcmp(r->split, "all") == 0) tips__text_add(out, "which is not divided");
    else tips__text_print(out, "its %s pictures", r->split);
    if (r->skipped > 0) tips__text_print(out, "; %d unreadable ones were left out", r->skipped);
    end_row(out);
}

static void add_input(tips_text *out, const tips_model_result *m) {
    begin_row(out, "input");
    tips__text_print(out, "%d x %d pixels (height x width), ", m->size[0], m->size[1]);
    if (m->channels == 1) tips__text_add(out, "grey");
    else if (m->channels == 3) tips__text_add(out, m->input.bgr ? "blue, green, red" : "red, green, blue");
    else tips__text_print(out, "%d channels", m->channels);
    end_row(out);
}

static void add_around(tips_text *out, const tips_placement *p) {
    if (p->pad == TIPS_PAD_GREY) tips__text_print(out, "grey (%d)", TIPS_GREY);
    else tips__text_add(out, p->pad == TIPS_PAD_MEAN ? "the mean" : "black");
}

static void add_fit(tips_text *out, const tips_placement *p) {
    tips__text_add(out, "fitted into the input with their aspect");
    if (p->fit[0] < TIPS_FIT_INPUT && p->fit[1] < TIPS_FIT_INPUT)
        tips__text_print(out, ", shorter side at most %d, longer %d", p->fit[0], p->fit[1]);
    tips__text_print(out, ", %s, with ", p->place == TIPS_AT_CENTRE ? "in the middle" : "at the top left");
    add_around(out, p);
    tips__text_add(out, " around them");
}

static void add_size(tips_text *out, const tips_input_facts *in) {
    const tips_placement *p = &in->placement;
    begin_row(out, "size of pictures");
    if (p->stretch) tips__text_add(out, "stretched to the input, whatever their aspect");
    else if (p->fit[0] > 0) add_fit(out, p);
    else if (in->resize > 0) tips__text_print(out, "shorter side to %d, then the centre is cropped", in->resize);
    else tips__text_add(out, "resized with their aspect until they cover the input, then the centre is cropped");
    if (in->fit_inside) tips__text_add(out, "; smaller ones stay as they are, in the middle of black");
    tips__text_add(out, p->filter == TIPS_FILTER_PLAIN ? "; bilinear without antialiasing" : "; bilinear, antialiased");
    end_row(out);
}

/* Who says mean and deviation, in the order of tips_input_origin. */
static const char *const says[] = {"as the model's file says",           "as given on the command line",
                                   "as measured of the training data",   "the default of networks with random weights",
                                   "as detectors of this style have it", "GUESSED: nobody says"};

static void add_values(tips_text *out, const tips_input_facts *in) {
    char words[256];
    tips__input_words(in, words, sizeof words);
    begin_row(out, "normalisation");
    tips__text_print(out, "%s, %s", words, says[tips__input_origin(in)]);
    end_row(out);
}

/* An option that says what an answer is, with its value. */
static void add_threshold(tips_text *out, const tips_task_spec *spec, const char *what, const char *name) {
    tips_option row;
    char value[64];
    if (!tips__option_find(spec->task->options, name, &row)) return;
    tips__option_format(&row, &spec->config, value, sizeof value);
    begin_row(out, what);
    tips__page_say(out, value);
    tips__text_add(out, " <small>");
    tips__page_say(out, row.help);
    tips__text_add(out, "</small>");
    end_row(out);
}

static void add_thresholds(tips_text *out, const tips_task_spec *spec, const char *style) {
    add_threshold(out, spec, "score to be shown", "shown");
    add_threshold(out, spec, "IoU to be the same", "same");
    if (*style) {
        add_text_row(out, "boxes of outputs", style);
        return;
    }
    add_threshold(out, spec, "score to be an answer", "score");
    add_threshold(out, spec, "IoU to be suppressed", "overlap");
}

static void add_answer(tips_text *out, const tips_task_spec *spec, const char *style) {
    const unsigned flags = spec->task->flags;
    if (flags & TIPS_TASK_BOXES) {
        add_thresholds(out, spec, style);
        return;
    }
    if (flags & TIPS_TASK_MASK) add_text_row(out, "threshold", "none: of each pixel the class with the largest output");
    else if (flags & TIPS_TASK_LOGITS) add_text_row(out, "threshold", "none: the class with the largest output");
}

static void add_range(tips_text *out, const tips_shift_range *range, int kind) {
    tips__text_print(out, "%s %d to %d px down and %d to %d px right", tips__kind_names[kind], range->low[0],
                     range->high[0], range->low[1], range->high[1]);
}

static void add_shifts(tips_text *out, const tips_evaluate_result *r) {
    const tips_model_result *m = &r->models[0];
    const tips_shift_plan plan = tips__shift_plan(r->protocol, m->size, r->pairs, (uint64_t)r->seed);
    begin_row(out, "shifts");
    tips__text_print(out, "protocol %s: ", r->protocol->name);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        if (kind > 0) tips__text_add(out, ", ");
        add_range(out, &plan.range[kind], kind);
    }
    tips__text_print(out, "; %d pair%s a picture, seed %d", r->pairs, r->pairs == 1 ? "" : "s", r->seed);
    if (m->set_shifts > 0)
        tips__text_print(out, "; common to all pictures: 0 to %d px down and right, each with each", m->set_shifts - 1);
    end_row(out);
}

tips_status tips__audit_page_input(tips_text *out, const tips_evaluate_result *r) {
    const tips_model_result *m = &r->models[0];
    tips_task_spec spec;
    TIPS_TRY(tips__task_parse(m->task, &spec));
    tips__text_add(out, "<h2 id=\"input\">What was measured</h2>\n<div class=\"scroll card\" tabindex=\"0\" "
                        "role=\"region\" aria-label=\"What was measured\"><table class=\"facts\"><tbody>\n");
    add_model(out, m, spec.task);
    add_pictures(out, r);
    add_input(out, m);
    add_size(out, &m->input);
    add_values(out, &m->input);
    add_answer(out, &spec, m->boxes);
    add_shifts(out, r);
    tips__audit_close_table(out);
    return TIPS_OK;
}
