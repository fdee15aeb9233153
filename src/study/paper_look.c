/* What the models of a study say of the paper's claims. */
#include "study/paper.h"

#include "core/fail.h"
#include "core/json_tree.h"
#include "core/memory.h"
#include "core/path.h"
#include "metric/correlation.h"
#include "study/paper_parts.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

typedef struct sample {
    double sum, square;
    int n;
} sample;

static void add(sample *s, double value) {
    if (isnan(value)) return;
    s->sum += value, s->square += value * value, s->n++;
}

static double mean_of(const sample *s) { return s->n ? s->sum / s->n : NAN; }

/* Not a number where values do not differ: they say nothing of how they spread. */
static double variance_of(const sample *s) {
    const double mean = mean_of(s), v = s->n > 1 ? (s->square - s->sum * mean) / (s->n - 1) : NAN;
    return v > 1e-12 * mean * mean ? v : NAN;
}

static tips_figure around(double value, double half) { return (tips_figure){value, value - half, value + half}; }

/* Welch: the two may spread differently. */
static void compare(const sample *a, const sample *b, tips_claim_state *out) {
    out->better = a->n, out->worse = b->n;
    if (a->n == 0 || b->n == 0) return;
    const double va = variance_of(a) / a->n, vb = variance_of(b) / b->n, v = va + vb;
    const double freedom = v * v / (va * va / (a->n - 1) + vb * vb / (b->n - 1));
    out->figure = around(mean_of(a) - mean_of(b), isnan(v) ? NAN : tips__student(freedom) * sqrt(v));
}

/* What a model is on an axis: as the grid calls it, or its option. */
static const char *label_of(const tips_json_node *model, const char *axis) {
    const char *label = tips__json_get_text(tips__json_get(model, "axes"), axis, NULL);
    return label ? label : tips__json_get_text(model, axis, "");
}

static bool is_within(const tips_json_node *model, const char *within) {
    char axis[64];
    if (!within) return true;
    const size_t length = strcspn(within, "=");
    snprintf(axis, sizeof axis, "%.*s", (int)length, within);
    return strcmp(label_of(model, axis), within + length + 1) == 0;
}

static bool is_at(const tips_json_node *model, const tips_claim *c, const char *label) {
    return is_within(model, c->within) && strcmp(label_of(model, c->axis), label) == 0;
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
static const tips_json_node *find_partner(const tips_claim *c, const tips_json_node *models,
                                          const tips_json_node *model) {
    const tips_json_node *partner = NULL;
    for (const tips_json_node *at = models->first; at; at = at->next) {
        if (!is_at(at, c, c->worse) || !share_all_but(model, at, c->axis)) continue;
        if (partner) return NULL;
        partner = at;
    }
    return partner;
}

/* Student's interval over pairs, which leaves out what networks, data and seeds do to both. False without pairs. */
static bool compare_pairs(const tips_claim *c, const tips_json_node *models, tips_claim_state *out) {
    sample differences = {0};
    for (const tips_json_node *at = models->first; at; at = at->next) {
        if (!is_at(at, c, c->better)) continue;
        const tips_json_node *partner = find_partner(c, models, at);
        if (partner)
            add(&differences, tips__json_get_number(at, c->figure) - tips__json_get_number(partner, c->figure));
    }
    if (differences.n < 2) return false;
    out->better = out->worse = differences.n;
    out->paired = true;
    out->figure = around(mean_of(&differences),
                         tips__student(differences.n - 1) * sqrt(variance_of(&differences) / differences.n));
    return true;
}

static void look_at_difference(const tips_claim *c, const tips_json_node *models, tips_claim_state *out) {
    sample better = {0}, worse = {0};
    if (compare_pairs(c, models, out)) return;
    for (const tips_json_node *at = models->first; at; at = at->next) {
        if (is_at(at, c, c->better)) add(&better, tips__json_get_number(at, c->figure));
        if (is_at(at, c, c->worse)) add(&worse, tips__json_get_number(at, c->figure));
    }
    compare(&better, &worse, out);
}

/* The model that keeps least, by its pictures. */
static void look_at_least(const tips_claim *c, const tips_json_node *models, tips_claim_state *out) {
    for (const tips_json_node *at = models->first; at; at = at->next) {
        const double value = tips__json_get_number(at, c->figure);
        const double images = tips__json_get_number(at, "images");
        if (!is_at(at, c, c->better) || isnan(value) || isnan(images)) continue;
        out->better++;
        if (!(value >= out->figure.value))
            out->figure = tips__proportion((int64_t)floor(value * images / 100 + 0.5), (int64_t)images);
    }
}

/* The number of the first model of the same network, width and data. */
static int cluster_of(const tips_json_node *models, const tips_json_node *model) {
    static const char *const shared[] = {"network", "width", "data"};
    int number = 0;
    for (const tips_json_node *at = models->first; at != model; at = at->next, number++) {
        bool same = true;
        for (int i = 0; i < 3; i++) same = same && strcmp(label_of(at, shared[i]), label_of(model, shared[i])) == 0;
        if (same) return number;
    }
    return number;
}

static tips_status look_at_correlation(const tips_claim *c, const tips_json_node *models, tips_claim_state *out) {
    const size_t most = (size_t)models->count + 1;
    double *x;
    int *cluster, n = 0;
    tips_correlation all;
    TIPS_TRY(tips__new(&x, 2 * most * sizeof *x, "correlations"));
    tips_status status = tips__new(&cluster, most * sizeof *cluster, "correlations");
    if (status == TIPS_OK) {
        for (const tips_json_node *at = models->first; at; at = at->next, n++) {
            x[n] = tips__json_get_number(at, c->better), x[most + (size_t)n] = tips__json_get_number(at, c->figure);
            cluster[n] = cluster_of(models, at);
        }
        status = tips__correlate(x, x + most, cluster, n, &all);
        tips__free(cluster);
    }
    tips__free(x);
    if (status == TIPS_OK) *out = (tips_claim_state){all.n, all.clusters, false, all.clustered};
    return status;
}

static tips_status look_at_claims(const tips_paper_item *item, const tips_json_node *models, tips_paper_state *out) {
    for (int i = 0; i < TIPS_PAPER_CLAIMS && models; i++) {
        const tips_claim *c = &item->claims[i];
        if (c->kind == TIPS_CLAIM_MORE) look_at_difference(c, models, &out->claims[i]);
        else if (c->kind == TIPS_CLAIM_EXACT) look_at_least(c, models, &out->claims[i]);
        else if (c->kind == TIPS_CLAIM_STRONG) TIPS_TRY(look_at_correlation(c, models, &out->claims[i]));
    }
    return TIPS_OK;
}

static bool has_file(const char *folder, const char *name, char path[TIPS_PATH_SIZE]) {
    struct stat info;
    return tips__path_join(folder, name, path) == TIPS_OK && stat(path, &info) == 0;
}

static bool has_rows(const tips_paper_item *item, const char *folder, char path[TIPS_PATH_SIZE]) {
    char name[96];
    snprintf(name, sizeof name, "%s.csv", item->study ? item->study : "");
    return item->study && has_file(folder, name, path);
}

bool tips__paper_has_study(const char *folder) {
    char path[TIPS_PATH_SIZE];
    for (const tips_paper_item *item = tips__paper; item->label; item++)
        if (has_rows(item, folder, path)) return true;
    return has_file(folder, "study.json", path);
}

/* study.json, or the rows of the study; `*out` is NULL if there is neither. */
static tips_status open_study(const tips_paper_item *item, const char *folder, tips_json_node **out) {
    char path[TIPS_PATH_SIZE];
    struct stat info;
    *out = NULL;
    if (stat(folder, &info) != 0) TIPS_FAIL(TIPS_IO, "%s: there is no such folder", folder);
    if (!item->study) return TIPS_OK;
    if (has_file(folder, "study.json", path)) return tips__json_tree_load(path, out);
    return has_rows(item, folder, path) ? tips__paper_rows(path, item->study, out) : TIPS_OK;
}

tips_status tips__paper_look(const tips_paper_item *item, const char *folder, tips_paper_state *out, bool *found) {
    tips_json_node *file;
    tips_status status = TIPS_OK;
    *found = false;
    *out = (tips_paper_state){0};
    for (int i = 0; i < TIPS_PAPER_CLAIMS; i++) out->claims[i].figure = tips__figure_none();
    TIPS_TRY(open_study(item, folder, &file));
    if (file && strcmp(tips__json_get_text(file, "study", ""), item->study) == 0) {
        *found = true;
        out->models = tips__json_get_int(file, "done", 0);
        out->cells = tips__json_get_int(file, "cells", 0);
        status = look_at_claims(item, tips__json_get(file, "models"), out);
    }
    tips__json_tree_free(file);
    return status;
}
