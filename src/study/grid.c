/* From the file of a study to its cells. */
#include "study/grid.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/rng.h"
#include "study/grid_parts.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CELLS = 100000 };

const tips_option tips__grid_rows[] = {
    {.name = "title", .type = TIPS_OPT_TEXT, .offset = offsetof(tips_grid_options, title)},
    {.name = "study", .type = TIPS_OPT_TEXT, .offset = offsetof(tips_grid_options, study)},
    {.name = "limit",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_grid_options, limit),
     .fallback = "0",
     .min = 0,
     .max = 2147483647,
     .help = "test pictures to evaluate on; 0 means all"},
    {.name = "grid-images",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_grid_options, grid_images),
     .fallback = "0",
     .min = 0,
     .max = 2147483647,
     .help = "test pictures that make a heat map over shifts; 0 means no heat map"},
    {.name = "levels",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(tips_grid_options, levels),
     .fallback = "false",
     .help = "consistency by the size of the shift too"},
    {.name = "seeds",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_grid_options, seeds),
     .fallback = "1",
     .min = 1,
     .max = 1000,
     .help = "models of each cell, with seeds from that of the base on"},
    {.name = "jobs",
     .type = TIPS_OPT_INT,
     .offset = offsetof(tips_grid_options, jobs),
     .fallback = "1",
     .min = 1,
     .max = 256,
     .help = "models at once, each with its share of the threads"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_grid_options, attack), .group = tips__attack_rows},
    {.type = TIPS_OPT_END},
};

/* One axis as the cells of a block see it: the values it takes. */
typedef struct axis {
    int place;                   /* in grid->axes */
    const tips_yaml_node *value; /* the first of the values, or the only one */
    bool is_list;
    const char *label; /* the only value to take, by its label; NULL: all */
    const char *text;  /* a value from the command line instead of those in the file; NULL: none */
} axis;

typedef struct block {
    axis axes[TIPS_MOST_AXES];
    int count;
} block;

typedef struct maker {
    tips_grid *grid;
    const tips_grid_over *over;
    const tips_yaml_node *base;
    const tips_yaml_node *chosen[TIPS_MOST_AXES]; /* by axis of the block under way */
    int capacity;
} maker;

int tips__grid_axis(const tips_grid *g, const char *name) {
    for (int i = 0; i < g->n_axes; i++)
        if (tips__same_name(g->axes[i], name)) return i;
    return -1;
}

static tips_status add_axis(tips_grid *g, const char *name, int line, int *place) {
    *place = tips__grid_axis(g, name);
    if (*place >= 0) return TIPS_OK;
    if (g->n_axes == TIPS_MOST_AXES) TIPS_FAIL(TIPS_FORMAT, "%s:%d: more than %d axes", g->path, line, TIPS_MOST_AXES);
    *place = g->n_axes;
    g->axes[g->n_axes++] = name;
    return TIPS_OK;
}

/* A path is called by its last part; mappings have a name or consist of their values. */
static void label_of(const tips_yaml_node *value, char out[TIPS_LABEL_SIZE]) {
    if (value->kind == TIPS_YAML_VALUE) {
        const char *slash = strrchr(value->text, '/');
        snprintf(out, TIPS_LABEL_SIZE, "%s", slash && slash[1] ? slash + 1 : value->text);
        return;
    }
    const tips_yaml_node *name = tips__yaml_get(value, "name");
    size_t n = 0;
    out[0] = '\0';
    if (name && name->text) snprintf(out, TIPS_LABEL_SIZE, "%s", name->text);
    for (const tips_yaml_node *at = name ? NULL : value->first; at && n < TIPS_LABEL_SIZE; at = at->next)
        n += (size_t)snprintf(out + n, TIPS_LABEL_SIZE - n, "%s%s", n ? " " : "", at->text ? at->text : "");
}

tips_status tips__grid_apply(const tips_grid *g, const tips_yaml_node *map, tips_train_config *train) {
    for (const tips_yaml_node *at = map->first; at; at = at->next) {
        if (strcmp(at->key, "name") == 0 || tips__pretrain_of(at->key, at)) continue;
        if (at->kind != TIPS_YAML_VALUE)
            TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' is no single value", g->path, at->line, at->key);
        if (map == tips__yaml_get(g->root, "base") && strcmp(at->key, "recipe") == 0) continue;
        TIPS_TRY(tips__yaml_set(g->path, at, tips__train_rows, train));
    }
    return TIPS_OK;
}

/* Sets one option, or those of a mapping. */
static tips_status apply(const tips_grid *g, const char *key, const tips_yaml_node *value, tips_train_config *train) {
    if (value->kind == TIPS_YAML_LIST)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' has a list among its values; a value is one or a mapping of options",
                  g->path, value->line, key);
    if (tips__is_pretrain(key) && value->kind == TIPS_YAML_VALUE && strcmp(value->text, "none") != 0)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: 'pretrain' is a mapping of options, or none", g->path, value->line);
    if (tips__is_pretrain(key)) return TIPS_OK;
    if (value->kind != TIPS_YAML_VALUE) return tips__grid_apply(g, value, train);
    tips_yaml_node pair = *value;
    char name[128];
    snprintf(name, sizeof name, "%s", key);
    pair.key = name;
    return tips__yaml_set(g->path, &pair, tips__train_rows, train);
}

/* The part behind "key="; NULL if the text says something of another. */
static const char *said_of(const char *text, const char *key) {
    char name[128];
    const char *equals = strchr(text, '=');
    if (!equals || (size_t)(equals - text) >= sizeof name) return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    return tips__same_name(name, key) ? equals + 1 : NULL;
}

static const char *said(const tips_grid_over *over, const char *key) {
    const char *value = NULL;
    for (int i = 0; i < over->count; i++) {
        const char *found = said_of(over->texts[i], key);
        if (found) value = found;
    }
    return value;
}

static bool has_key(const tips_yaml_node *map, const char *name) {
    for (const tips_yaml_node *at = map && map->kind == TIPS_YAML_MAP ? map->first : NULL; at; at = at->next)
        if (tips__same_name(at->key, name)) return true;
    return false;
}

/* Whether some block has the axis. */
static bool is_axis(const tips_yaml_node *root, const char *name) {
    const tips_yaml_node *cells = tips__yaml_get(root, "cells");
    bool found = has_key(tips__yaml_get(root, "vary"), name);
    for (const tips_yaml_node *at = cells ? cells->first : NULL; at && !found; at = at->next) found = has_key(at, name);
    return found;
}

static bool block_has(const tips_grid *g, const block *b, const char *name) {
    for (int i = 0; i < b->count; i++)
        if (tips__same_name(g->axes[b->axes[i].place], name)) return true;
    return false;
}

static tips_status apply_over(const maker *m, const block *b, tips_train_config *train) {
    for (int i = 0; i < m->over->count; i++) {
        const char *text = m->over->texts[i], *equals = strchr(text, '=');
        char name[128], where[160];
        tips_option row;
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - text) : 0, text);
        if (block_has(m->grid, b, name) || tips__is_pretrain(name)) continue; /* said elsewhere */
        if (!equals) TIPS_FAIL(TIPS_INVALID, "--set %s: write OPTION=VALUE", text);
        if (!tips__option_find(tips__train_rows, name, &row)) {
            if (is_axis(m->grid->root, name)) continue; /* of other blocks */
            TIPS_FAIL(TIPS_UNKNOWN, "--set %s: there is neither an option nor an axis '%s'", text, name);
        }
        snprintf(where, sizeof where, "--set %s", name);
        TIPS_TRY(tips__option_set(&row, train, equals + 1, where));
    }
    return TIPS_OK;
}

static tips_status set_all(const maker *m, const block *b, tips_train_config *train) {
    const tips_grid *g = m->grid;
    if (g->recipe) TIPS_TRY(tips__yaml_apply(g->recipe, tips__train_rows, train));
    if (m->base) TIPS_TRY(apply(g, "base", m->base, train));
    TIPS_TRY(apply_over(m, b, train));
    for (int i = 0; i < b->count; i++) {
        const axis *a = &b->axes[i];
        const tips_yaml_node given = {.text = (char *)a->text, .line = a->value->line};
        TIPS_TRY(apply(g, g->axes[a->place], a->text ? &given : m->chosen[i], train));
    }
    return TIPS_OK;
}

/* Twice: what task and optimiser begin with lies below everything that is said, and which they are is said there. */
static tips_status make_config(const maker *m, const block *b, tips_train_config *train) {
    TIPS_TRY(tips__train_defaults(NULL, train));
    TIPS_TRY(set_all(m, b, train));
    const tips_train_config said = *train;
    TIPS_TRY(tips__train_defaults(&said, train));
    return set_all(m, b, train);
}

static tips_status make_pretrain(const maker *m, const block *b, tips_cell *cell) {
    const tips_grid *g = m->grid;
    TIPS_TRY(tips__pretrain_set(g, tips__pretrain_of("base", m->base), cell));
    for (int i = 0; i < b->count; i++)
        TIPS_TRY(tips__pretrain_set(g, tips__pretrain_of(g->axes[b->axes[i].place], m->chosen[i]), cell));
    return TIPS_OK;
}

static tips_status check(const tips_train_config *train) {
    tips_arch_config config;
    const tips_arch *arch;
    tips_task_spec task;
    TIPS_TRY(tips__model_options_read(&train->model, &config));
    TIPS_TRY(tips__arch_find(train->model.arch, &arch));
    return tips__model_options_task(&train->model, &task);
}

static tips_status add_cell(maker *m, const tips_cell *cell) {
    tips_grid *g = m->grid;
    for (int i = 0; i < g->n_cells; i++)
        if (strcmp(g->cells[i].name, cell->name) == 0) return TIPS_OK; /* one cell, said twice */
    if (g->n_cells == MOST_CELLS) TIPS_FAIL(TIPS_INVALID, "%s: more than %d cells", g->path, MOST_CELLS);
    if (g->n_cells == m->capacity) {
        const size_t old = (size_t)m->capacity, more = old ? 2 * old : 64;
        tips_cell *cells = tips__grow(g->cells, old * sizeof *cells, more * sizeof *cells);
        if (!cells) TIPS_FAIL(TIPS_MEMORY, "out of memory for the cells of %s", g->path);
        g->cells = cells;
        m->capacity = (int)more;
    }
    g->cells[g->n_cells++] = *cell;
    return TIPS_OK;
}

/* Where the values stand that do not go together: the last line of them. */
static tips_status fail_at_block(const maker *m, const block *b, tips_status status) {
    char where[TIPS_PATH_SIZE + 16];
    int line = m->base ? m->base->line : m->grid->root->line;
    for (int i = 0; i < b->count; i++)
        if (!b->axes[i].text) line = m->chosen[i]->line > line ? m->chosen[i]->line : line;
    snprintf(where, sizeof where, "%s:%d", m->grid->path, line);
    return tips__fail_within(status, where);
}

static tips_status add_seeds(maker *m, const block *b) {
    tips_grid *g = m->grid;
    tips_cell cell = {0};
    int seed;
    for (int i = 0; i < b->count; i++)
        if (b->axes[i].text) snprintf(cell.labels[b->axes[i].place], TIPS_LABEL_SIZE, "%s", b->axes[i].text);
        else label_of(m->chosen[i], cell.labels[b->axes[i].place]);
    TIPS_TRY(make_config(m, b, &cell.train));
    const tips_status fits = check(&cell.train);
    if (fits != TIPS_OK) return fail_at_block(m, b, fits);
    TIPS_TRY(make_pretrain(m, b, &cell));
    const int first = cell.train.model.seed;
    TIPS_TRY(add_axis(g, "seed", g->root->line, &seed));
    for (int k = 0; k < g->options.seeds; k++) {
        cell.train.model.seed = first + k;
        snprintf(cell.labels[seed], TIPS_LABEL_SIZE, "%d", first + k);
        TIPS_TRY(tips__pretrain_finish(m->over, &cell));
        tips_train_config named = cell.train;
        if (cell.pretrains) named.weights = cell.encoder;
        TIPS_TRY(tips__cell_name(&named, cell.name, sizeof cell.name));
        TIPS_TRY(add_cell(m, &cell));
    }
    return TIPS_OK;
}

static bool is_wanted(const axis *a, const tips_yaml_node *value) {
    char label[TIPS_LABEL_SIZE];
    label_of(value, label);
    return !a->label || strcmp(label, a->label) == 0;
}

/* Every choice of the axes from `depth` on. */
static tips_status expand(maker *m, const block *b, int depth) {
    if (depth == b->count) return add_seeds(m, b);
    const axis *a = &b->axes[depth];
    for (const tips_yaml_node *value = a->value; value; value = a->is_list ? value->next : NULL) {
        if (!is_wanted(a, value)) continue;
        m->chosen[depth] = value;
        TIPS_TRY(expand(m, b, depth + 1));
        if (a->text) break; /* one value stands for all */
    }
    return TIPS_OK;
}

static bool has_label(const tips_yaml_node *map, const char *name, const char *label) {
    const tips_yaml_node *at = tips__yaml_get(map, name);
    const bool is_list = at && at->kind == TIPS_YAML_LIST;
    for (const tips_yaml_node *value = is_list ? at->first : at; value; value = is_list ? value->next : NULL)
        if (is_wanted(&(axis){.label = label}, value)) return true;
    return false;
}

/* Whether an axis is kept to one of its values, which some block has, or gets another. */
static void narrow(const maker *m, const char *name, axis *a) {
    const tips_yaml_node *root = m->grid->root, *cells = tips__yaml_get(root, "cells");
    const char *value = said(m->over, name);
    if (!value) return;
    bool is_there = has_label(tips__yaml_get(root, "vary"), name, value);
    for (const tips_yaml_node *at = cells ? cells->first : NULL; at; at = at->next)
        is_there |= has_label(at, name, value);
    if (is_there) a->label = value;
    else a->text = value;
}

static tips_status add_axes(maker *m, const tips_yaml_node *map, block *b) {
    for (const tips_yaml_node *at = map ? map->first : NULL; at; at = at->next) {
        const bool is_list = at->kind == TIPS_YAML_LIST;
        axis a = {.value = is_list ? at->first : at, .is_list = is_list};
        tips_option row;
        if (is_list && !at->first)
            TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' has no values", m->grid->path, at->line, at->key);
        if (b->count == TIPS_MOST_AXES)
            TIPS_FAIL(TIPS_FORMAT, "%s:%d: more than %d axes", m->grid->path, at->line, TIPS_MOST_AXES);
        TIPS_TRY(add_axis(m->grid, at->key, at->line, &a.place));
        narrow(m, at->key, &a);
        if (a.text && !tips__option_find(tips__train_rows, at->key, &row))
            TIPS_FAIL(TIPS_UNKNOWN, "--set %s=%s: the axis has no such value, and is no option", at->key, a.text);
        b->axes[b->count++] = a;
    }
    return TIPS_OK;
}

static tips_status make_cells(maker *m) {
    const tips_yaml_node *vary = tips__yaml_get(m->grid->root, "vary"), *cells = tips__yaml_get(m->grid->root, "cells");
    const tips_grid *g = m->grid;
    if (vary && vary->kind != TIPS_YAML_MAP)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: 'vary' is a mapping from options to lists of values", g->path, vary->line);
    if (cells && cells->kind != TIPS_YAML_LIST)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: 'cells' is a list of mappings", g->path, cells->line);
    for (const tips_yaml_node *at = cells ? cells->first : NULL; at; at = at->next)
        if (at->kind != TIPS_YAML_MAP) TIPS_FAIL(TIPS_FORMAT, "%s:%d: a cell is a mapping", g->path, at->line);
    const tips_yaml_node *cell = cells ? cells->first : NULL;
    do {
        block b = {.count = 0};
        TIPS_TRY(add_axes(m, vary, &b));
        TIPS_TRY(add_axes(m, cell, &b));
        TIPS_TRY(expand(m, &b, 0));
        cell = cell ? cell->next : NULL;
    } while (cell);
    return TIPS_OK;
}

static tips_status read_options(tips_grid *g) {
    static const char *const parts[] = {"base", "vary", "cells", "analysis"};
    TIPS_TRY(tips__options_defaults(tips__grid_rows, &g->options));
    for (const tips_yaml_node *at = g->root->first; at; at = at->next) {
        bool is_part = false;
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) is_part |= strcmp(at->key, parts[i]) == 0;
        if (is_part) continue;
        if (at->kind != TIPS_YAML_VALUE)
            TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' is no part of a study: base, vary, cells, analysis", g->path, at->line,
                      at->key);
        TIPS_TRY(tips__yaml_set(g->path, at, tips__grid_rows, &g->options));
    }
    return tips__attack_check(&g->options.attack);
}

/* Its path is seen from the folder of the grid. */
static tips_status read_recipe(const tips_yaml_node *name, tips_grid *g) {
    const char *slash = strrchr(g->path, '/');
    char folder[TIPS_PATH_SIZE], path[TIPS_PATH_SIZE];
    if (!name) return TIPS_OK;
    if (name->kind != TIPS_YAML_VALUE) TIPS_FAIL(TIPS_FORMAT, "%s:%d: 'recipe' is a file", g->path, name->line);
    if (name->text[0] == '/') return tips__yaml_read(name->text, &g->recipe);
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - g->path) : 1, slash ? g->path : ".");
    TIPS_TRY(tips__path_join(folder, name->text, path));
    return tips__yaml_read(path, &g->recipe);
}

static tips_status read_grid(const tips_grid_over *over, tips_grid *g) {
    maker m = {.grid = g, .over = over};
    if (g->root->kind != TIPS_YAML_MAP)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: a study is a mapping: base, vary, cells, analysis", g->path, g->root->line);
    TIPS_TRY(read_options(g));
    if (over->seeds > 0) g->options.seeds = over->seeds;
    m.base = tips__yaml_get(g->root, "base");
    if (m.base && m.base->kind != TIPS_YAML_MAP)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: 'base' is a mapping of options", g->path, m.base->line);
    TIPS_TRY(read_recipe(tips__yaml_get(m.base, "recipe"), g));
    g->analyses = tips__yaml_get(g->root, "analysis");
    if (g->analyses && g->analyses->kind != TIPS_YAML_LIST)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: 'analysis' is a list of mappings", g->path, g->analyses->line);
    TIPS_TRY(make_cells(&m));
    tips__cells_tell_apart(g);
    return TIPS_OK;
}

void tips__grid_free(tips_grid *g) {
    tips__yaml_tree_free(g->root);
    tips__yaml_destroy(g->recipe);
    tips__free(g->cells);
    tips__free(g->path);
    *g = (tips_grid){0};
}

tips_status tips__grid_read(const char *path, const tips_grid_over *over, tips_grid *out) {
    tips_grid g = {.path = tips__strdup(path)};
    if (!g.path) TIPS_FAIL(TIPS_MEMORY, "out of memory while reading %s", path);
    tips_status status = tips__yaml_tree_read(path, &g.root);
    if (status == TIPS_OK) status = read_grid(over, &g);
    if (status != TIPS_OK) tips__grid_free(&g);
    else *out = g;
    return status;
}
