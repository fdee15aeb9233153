/* What the paper claims, and whether the models of a study bear it out. */
#include "study/paper.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/path.h"
#include "metric/interval.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

const char *const tips__verdict_names[] = {"holds", "does not hold", "cannot be tested here", "missing", NULL};

const tips_paper_item tips__paper[] = {
#define TIPS_PAPER(label, what, theirs, ours, command, study, verdict, axis, better, worse, figure) \
    {label, what, theirs, ours, command, study, TIPS_VERDICT_##verdict, axis, better, worse, figure},
#include "study/paper.def"
#undef TIPS_PAPER
    {0}};

typedef struct sample {
    double sum, square;
    int n;
} sample;

static void add(sample *s, double value) {
    if (isnan(value)) return;
    s->sum += value, s->square += value * value, s->n++;
}

static double mean_of(const sample *s) { return s->sum / s->n; }
static double variance_of(const sample *s) {
    return s->n > 1 ? fmax(0, (s->square - s->sum * mean_of(s)) / (s->n - 1)) : NAN;
}

/* Welch: the two may spread differently. */
static void compare(const sample *a, const sample *b, tips_paper_state *out) {
    out->better = a->n, out->worse = b->n;
    if (a->n == 0 || b->n == 0) return;
    out->difference = mean_of(a) - mean_of(b);
    const double va = variance_of(a) / a->n, vb = variance_of(b) / b->n, v = va + vb;
    if (isnan(v)) return;
    const double freedom = v > 0 ? v * v / (va * va / (a->n - 1) + vb * vb / (b->n - 1)) : a->n + b->n - 2;
    const double half = tips__student(freedom) * sqrt(v);
    out->low = out->difference - half, out->high = out->difference + half;
}

/* What a model is on an axis: as the grid calls it, or its option. */
static const char *label_of(const tips_json_node *model, const char *axis) {
    const char *label = tips__json_get_text(tips__json_get(model, "axes"), axis, NULL);
    return label ? label : tips__json_get_text(model, axis, "");
}

/* Whether two models are alike on all axes but one. */
static bool share_all_but(const tips_json_node *a, const tips_json_node *b, const char *axis) {
    const tips_json_node *const axes[] = {tips__json_get(a, "axes"), tips__json_get(b, "axes")};
    for (int k = 0; k < 2; k++)
        for (const tips_json_node *at = axes[k] ? axes[k]->first : NULL; at; at = at->next)
            if (strcmp(at->key, axis) != 0 &&
                strcmp(tips__json_get_text(axes[0], at->key, ""), tips__json_get_text(axes[1], at->key, "")) != 0)
                return false;
    return true;
}

/* The model with `worse` that shares all else with this one; NULL if there is none, or more than one. */
static const tips_json_node *find_partner(const tips_paper_item *item, const tips_json_node *models,
                                          const tips_json_node *model) {
    const tips_json_node *partner = NULL;
    for (const tips_json_node *at = models->first; at; at = at->next) {
        if (strcmp(label_of(at, item->axis), item->worse) != 0 || !share_all_but(model, at, item->axis)) continue;
        if (partner) return NULL;
        partner = at;
    }
    return partner;
}

/* Student's interval over pairs, which leaves out what networks, data and seeds do to both. False without pairs. */
static bool compare_pairs(const tips_paper_item *item, const tips_json_node *models, tips_paper_state *out) {
    sample differences = {0};
    for (const tips_json_node *at = models ? models->first : NULL; at; at = at->next) {
        if (strcmp(label_of(at, item->axis), item->better) != 0) continue;
        const tips_json_node *partner = find_partner(item, models, at);
        if (partner)
            add(&differences, tips__json_get_number(at, item->figure) - tips__json_get_number(partner, item->figure));
    }
    if (differences.n < 2) return false;
    const double half = tips__student(differences.n - 1) * sqrt(variance_of(&differences) / differences.n);
    out->better = out->worse = differences.n;
    out->paired = true;
    out->difference = mean_of(&differences);
    out->low = out->difference - half, out->high = out->difference + half;
    return true;
}

static void look_at_models(const tips_paper_item *item, const tips_json_node *models, tips_paper_state *out) {
    sample better = {0}, worse = {0};
    if (compare_pairs(item, models, out)) return;
    for (const tips_json_node *at = models ? models->first : NULL; at; at = at->next) {
        const char *label = label_of(at, item->axis);
        if (strcmp(label, item->better) == 0) add(&better, tips__json_get_number(at, item->figure));
        if (strcmp(label, item->worse) == 0) add(&worse, tips__json_get_number(at, item->figure));
    }
    compare(&better, &worse, out);
}

/* The correlation over all models, as the study's analysis has it. */
static void look_at_correlation(const tips_paper_item *item, const tips_json_node *analyses, tips_paper_state *out) {
    for (const tips_json_node *a = analyses ? analyses->first : NULL; a; a = a->next) {
        const tips_json_node *all = tips__json_get(a, "correlations");
        for (const tips_json_node *c = all ? all->first : NULL; c; c = c->next) {
            const tips_json_node *interval = tips__json_get(c, "clustered");
            if (strcmp(tips__json_get_text(c, "x", ""), item->better) != 0 ||
                strcmp(tips__json_get_text(c, "y", ""), item->figure) != 0 ||
                strcmp(tips__json_get_text(c, "group", ""), "all") != 0)
                continue;
            out->better = tips__json_get_int(c, "n", 0);
            out->difference = tips__json_get_number(c, "r");
            if (!interval || interval->count != 2 || interval->first->kind != TIPS_JSON_NUMBER) return;
            out->low = interval->first->number, out->high = interval->last->number;
            return;
        }
    }
}

bool tips__paper_has_study(const char *folder) {
    char path[TIPS_PATH_SIZE];
    struct stat info;
    return tips__path_join(folder, "study.json", path) == TIPS_OK && stat(path, &info) == 0;
}

tips_status tips__paper_look(const tips_paper_item *item, const char *folder, tips_paper_state *out, bool *found) {
    char path[TIPS_PATH_SIZE];
    struct stat info;
    tips_json_node *file;
    *found = false;
    *out = (tips_paper_state){.difference = NAN, .low = NAN, .high = NAN};
    TIPS_TRY(tips__path_join(folder, "study.json", path));
    if (stat(folder, &info) != 0) TIPS_FAIL(TIPS_IO, "%s: there is no such folder", folder);
    if (!item->study || stat(path, &info) != 0) return TIPS_OK;
    TIPS_TRY(tips__json_tree_load(path, &file));
    if (strcmp(tips__json_get_text(file, "study", ""), item->study) == 0) {
        *found = true;
        out->models = tips__json_get_int(file, "done", 0);
        out->cells = tips__json_get_int(file, "cells", 0);
        if (item->axis && strcmp(item->axis, "r") == 0)
            look_at_correlation(item, tips__json_get(file, "analyses"), out);
        else if (item->axis) look_at_models(item, tips__json_get(file, "models"), out);
    }
    tips__json_tree_free(file);
    return TIPS_OK;
}

const char *tips__paper_judge(const tips_paper_item *item, const tips_paper_state *s) {
    const bool falls = item->axis && strcmp(item->axis, "r") == 0;
    if (!item->axis) return "look at its figures";
    if (isnan(s->difference)) return "not told: models are missing";
    if (isnan(s->low)) return "not told: too few models for an interval";
    if (s->low <= 0 && s->high >= 0) return "not told: the interval holds 0";
    return (s->high < 0) == falls ? "holds" : "does not hold";
}

void tips__paper_markdown(FILE *file) {
    fprintf(file, "| paper | what | theirs | ours | verdict | command |\n|---|---|---|---|---|---|\n");
    for (const tips_paper_item *i = tips__paper; i->label; i++)
        fprintf(file, "| %s | %s | %s | %s | *%s* | %s%s%s |\n", i->label, i->what, i->theirs, i->ours,
                tips__verdict_names[i->verdict], i->command ? "`" : "", i->command ? i->command : "",
                i->command ? "`" : "");
}
