/* Remarks and warnings: one function and one row each. */
#include "evaluate/evaluate_remarks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MUCH = 90, MUCH_MORE = 20, CONSTANT = 99 }; /* percent: alike, and more so than the labels are */

static bool interrupted(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE, "Interrupted: %d of %d pictures were evaluated, and all figures are of these.",
             m->images, m->wanted);
    return m->interrupted;
}

/* One answer for everything: the others are few beside those that would be right. */
static bool is_constant(const tips_frequent *f) {
    return f->answer >= CONSTANT && 4 * (100 - f->answer) < 100 - f->label;
}

static bool alike(const void *result, char *out) {
    const tips_model_result *m = result;
    const tips_frequent *f = &m->frequent;
    const bool much = !f->of_pixels && f->answer > MUCH && f->answer - f->label > MUCH_MORE;
    snprintf(
        out, TIPS_REMARK_SIZE,
        "The same answer, '%s', is given to %.2f %% of the %s, while no answer is right for more than %.2f %%: who "
        "answers alike to everything is consistent whatever it sees.%s",
        f->name, f->answer, f->of_pixels ? "pixels" : "pictures", f->label,
        is_constant(f) ? " Its consistency means nothing." : "");
    return much || is_constant(f); /* not if they are not numbers */
}

static bool lone(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE,
             "The network puts out one number a pixel, with no sigmoid behind it: it was read as the logit of class 1 "
             "against class 0. If it is a quantity (a depth, a share), the figures mean nothing.");
    return m->lone_channel;
}

static bool learned(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(
        out, TIPS_REMARK_SIZE,
        "The model was trained on this data: pictures that it learned from are among those measured, which says little "
        "about others.");
    return m->saw_them;
}

static bool chosen_on(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE,
             "The training chose its best epoch by these %d %s pictures: their figures flatter the model. An "
             "independent result needs pictures that nothing was chosen by.",
             m->images, m->pictures.split == TIPS_SPLIT_TEST ? "test" : "validation");
    return m->pictures.chosen_on;
}

/* Worse than drawing lots, and not by chance. */
static bool below_chance(const void *result, char *out) {
    const tips_model_result *m = result;
    const tips_figure right = m->figures.own[tips__metric_main(m->figures.task)];
    const int classes = m->class_map.count;
    snprintf(
        out, TIPS_REMARK_SIZE, "Accuracy is below chance, %.2f %% with %d classes: %s.", right.value, classes,
        m->class_map.by == TIPS_CLASSES_BY_ORDER
            ? "the model's outputs are probably in another order than the classes of the data; --labels FILE names "
              "them, one a line"
            : "the names of its outputs may be wrong, or how pictures become its input");
    return !isnan(m->frequent.answer) && !m->frequent.of_pixels && classes > 1 && right.high < 100.0 / classes;
}

static bool names_differ(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE,
             "The model names its outputs, but not all as the data name their classes ('%.60s' for one): they were "
             "matched by order. --labels FILE names the outputs as the data have them, one a line.",
             m->class_map.count > 0 ? m->class_map.names[0] : "");
    return m->class_map.names_differ;
}

static bool fewer_classes(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE,
             "The model has %d outputs and the data have %d classes, which were taken for the first of them: a guess. "
             "--labels FILE names the outputs, one a line.",
             m->classes, m->class_map.count);
    return m->class_map.by == TIPS_CLASSES_BY_ORDER && m->class_map.count < m->classes;
}

static bool small(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE,
             "The network answers with maps of %dx%d, which were enlarged to the input's %dx%d: logits between the "
             "nearest ones, classes as the nearest.",
             m->small[0], m->small[1], m->size[0], m->size[1]);
    return m->small[0] > 0;
}

static bool narrow(const void *result, char *out) {
    const tips_model_result *m = result;
    snprintf(out, TIPS_REMARK_SIZE,
             "The model is stored in %s, computed in float32: where it runs in %s, answers may differ.",
             m->stored ? m->stored : "", m->stored ? m->stored : "");
    return m->stored != NULL;
}

static bool guessed(const void *result, char *out) {
    const tips_model_result *m = result;
    return tips__input_guess(&m->input, "--", out);
}

static bool unlikely_boxes(const void *result, char *out) {
    const tips_model_result *m = result;
    return tips__found_tally_warn(&m->found, out);
}

const tips_warning_rule tips__evaluate_rules[] = {
    {"interrupted", true, interrupted},
    {"guessed_input", false, guessed},
    {"unlikely_boxes", false, unlikely_boxes},
    {"constant_answers", false, alike},
    {"lone_channel", true, lone},
    {"own_training_pictures", false, learned},
    {"below_chance", false, below_chance},
    {"class_names_differ", false, names_differ},
    {"fewer_classes", false, fewer_classes},
    {"validation_as_test", false, chosen_on},
    {"enlarged_maps", true, small},
    {"stored_type", true, narrow},
    {.name = NULL},
};

bool tips__evaluate_remark(const tips_model_result *m, int i, char out[TIPS_REMARK_SIZE]) {
    tips_warning remark;
    if (!tips__remark_at(tips__evaluate_rules, m, i, &remark)) return false;
    memcpy(out, remark.text, sizeof remark.text);
    return true;
}
