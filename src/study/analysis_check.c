/* Mistakes in the analyses of a study, told before anything is trained. */
#include "study/analysis.h"

#include "core/fail.h"
#include "core/nearest.h"

#include <string.h>

enum { WORD = 32 };

/* One of an analysis' keys. */
typedef struct key {
    char name[WORD], what[WORD];
    bool is_needed, is_list;
} key;

const tips_analysis *tips__analysis_find(const tips_yaml_node *entry) {
    const tips_yaml_node *kind = tips__yaml_get(entry, "kind");
    for (const tips_analysis *a = tips__analyses; kind && kind->text && a->name; a++)
        if (strcmp(a->name, kind->text) == 0) return a;
    return NULL;
}

/* The key at `at`, and where the next begins; NULL behind the last. */
static const char *next_key(const char *at, key *out) {
    char what[WORD];
    int length = 0;
    if (sscanf(at, " %31[^:]:%31s%n", out->name, what, &length) != 2) return NULL;
    char *mark = strchr(what, '!');
    out->is_needed = mark != NULL;
    if (mark) *mark = '\0';
    out->is_list = strcmp(what, "axes") == 0 || strcmp(what, "figures") == 0 || strcmp(what, "logged") == 0;
    memcpy(out->what, what, sizeof what);
    return at + length;
}

static bool is_figure(const tips_grid *g, const char *name, tips__nearest_search *search) {
    static const char *const own[] = {"metric", "validation", "seconds", "images"};
    const tips_metric *metric, *last = NULL;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (strcmp(own[i], name) == 0) return true;
        tips__nearest_offer(search, own[i]);
    }
    for (int cell = 0; cell < g->n_cells; cell++) {
        tips_task_spec task;
        if (tips__model_options_task(&g->cells[cell].train.model, &task) != TIPS_OK) continue;
        if (task.task->metrics == last) continue;
        last = task.task->metrics;
        for (int i = 0; (metric = tips__metric_at(last, i)); i++) {
            if (strcmp(metric->name, name) == 0) return true;
            tips__nearest_offer(search, metric->name);
        }
    }
    return false;
}

static bool is_axis(const tips_grid *g, const char *name, bool varied, tips__nearest_search *search) {
    const char *nearest;
    tips_option row;
    for (int i = 0; i < g->n_axes; i++) tips__nearest_offer(search, g->axes[i]);
    if (tips__grid_axis(g, name) >= 0) return true;
    if (varied) return false;
    if (tips__option_find(tips__train_rows, name, &row)) return true;
    if ((nearest = tips__option_nearest(tips__train_rows, name))) tips__nearest_offer(search, nearest);
    return false;
}

static tips_status check_name(const tips_grid *g, const tips_yaml_node *at, const char *name, const key *k) {
    tips__nearest_search search = {.word = name};
    const bool wants_figure = strncmp(k->what, "figure", 6) == 0, varied = strcmp(k->what, "varied") == 0;
    if (strcmp(k->what, "logged") == 0 || (wants_figure && is_figure(g, name, &search)) ||
        is_axis(g, name, varied, &search))
        return TIPS_OK;
    const char *wanted = wants_figure ? "a figure: 'metric', one of 'tips list metrics', or an option"
                         : varied     ? "an axis of the grid"
                                      : "an axis of the grid or an option";
    if (search.best)
        TIPS_FAIL(TIPS_UNKNOWN, "%s:%d: %s: '%s' is not %s; did you mean '%s'?", g->path, at->line, k->name, name,
                  wanted, search.best);
    TIPS_FAIL(TIPS_UNKNOWN, "%s:%d: %s: '%s' is not %s", g->path, at->line, k->name, name, wanted);
}

/* The value of a key: a name, or a list of them. */
static tips_status check_names(const tips_grid *g, const tips_yaml_node *value, const key *k) {
    if (value->kind == TIPS_YAML_VALUE) return check_name(g, value, value->text, k);
    if (value->kind == TIPS_YAML_MAP || !k->is_list || value->count == 0)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' is a name%s", g->path, value->line, k->name,
                  k->is_list ? ", or a list of names" : "");
    if (value->count > TIPS_MOST_NAMES)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' has more than %d names", g->path, value->line, k->name, TIPS_MOST_NAMES);
    for (const tips_yaml_node *at = value->first; at; at = at->next) {
        if (!at->text) TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' is a list of names", g->path, at->line, k->name);
        TIPS_TRY(check_name(g, at, at->text, k));
    }
    return TIPS_OK;
}

static tips_status refuse_unknown(const tips_grid *g, const tips_yaml_node *entry, const tips_analysis *analysis) {
    for (const tips_yaml_node *at = entry->first; at; at = at->next) {
        bool found = strcmp(at->key, "kind") == 0 || strcmp(at->key, "title") == 0;
        char all[256] = "title";
        key k;
        for (const char *rest = analysis->keys; (rest = next_key(rest, &k));) {
            found |= strcmp(at->key, k.name) == 0;
            snprintf(all + strlen(all), sizeof all - strlen(all), ", %s", k.name);
        }
        if (!found)
            TIPS_FAIL(TIPS_UNKNOWN, "%s:%d: unknown key '%s'; '%s' has %s", g->path, at->line, at->key, analysis->name,
                      all);
    }
    return TIPS_OK;
}

static tips_status check_keys(const tips_grid *g, const tips_yaml_node *entry, const tips_analysis *analysis) {
    key k;
    TIPS_TRY(refuse_unknown(g, entry, analysis));
    for (const char *rest = analysis->keys; (rest = next_key(rest, &k));) {
        const tips_yaml_node *value = tips__yaml_get(entry, k.name);
        if (!value && k.is_needed)
            TIPS_FAIL(TIPS_INVALID, "%s:%d: this analysis needs '%s'", g->path, entry->line, k.name);
        if (value) TIPS_TRY(check_names(g, value, &k));
    }
    return TIPS_OK;
}

static tips_status check_need(const tips_grid *g, const tips_yaml_node *at, const tips_analysis *analysis) {
    if (analysis->need == TIPS_ANALYSIS_LEVELS && !g->options.levels)
        TIPS_FAIL(TIPS_INVALID, "%s:%d: this analysis needs 'levels: true'", g->path, at->line);
    if (analysis->need == TIPS_ANALYSIS_ATTACKS && !tips__attack_is_wanted(&g->options.attack))
        TIPS_FAIL(TIPS_INVALID, "%s:%d: this analysis needs 'attack: NAME' or 'corrupt: NAME'", g->path, at->line);
    return TIPS_OK;
}

static tips_status refuse_kind(const tips_grid *g, const tips_yaml_node *at) {
    char all[256] = "";
    for (const tips_analysis *a = tips__analyses; a->name; a++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "", a->name);
    TIPS_FAIL(TIPS_UNKNOWN, "%s:%d: an analysis is a mapping whose 'kind' is one of %s", g->path, at->line, all);
}

tips_status tips__analyses_check(const tips_grid *g) {
    for (const tips_yaml_node *at = g->analyses ? g->analyses->first : NULL; at; at = at->next) {
        const tips_analysis *analysis = tips__analysis_find(at);
        if (!analysis) return refuse_kind(g, at);
        TIPS_TRY(check_need(g, at, analysis));
        TIPS_TRY(check_keys(g, at, analysis));
    }
    return TIPS_OK;
}
