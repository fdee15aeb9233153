/* Tables of option rows that nest: walking through them, finding a row. */
#include "core/nearest.h"
#include "core/option.h"

#include <string.h>

static char same_dash(char c) { return c == '_' ? '-' : c; }

bool tips__same_name(const char *a, const char *b) {
    while (*a && same_dash(*a) == same_dash(*b)) a++, b++;
    return same_dash(*a) == same_dash(*b);
}

/* Whether a list parted by blanks has the name. */
static bool is_listed(const char *list, const char *name) {
    const size_t length = strlen(name);
    while (list && *list) {
        const size_t word = strcspn(list, " ");
        if (word == length && strncmp(list, name, length) == 0) return true;
        list += word + strspn(list + word, " ");
    }
    return false;
}

static bool is_left_out(const tips_option_walk *walk, const char *name) {
    for (int i = 0; i < walk->depth; i++)
        if (is_listed(walk->level[i].without, name)) return true;
    return false;
}

static void enter(tips_option_walk *walk, const tips_option *table, size_t offset, const char *without) {
    if (!table || walk->depth == TIPS_OPTION_DEPTH) return;
    walk->level[walk->depth].at = table;
    walk->level[walk->depth].offset = offset;
    walk->level[walk->depth].without = without;
    walk->depth++;
}

/* Sets are found before the rows are walked, which may stand in front of them. */
static void find_sets(tips_option_walk *walk, const tips_option *table, size_t offset, int depth) {
    for (const tips_option *row = table; row && depth < TIPS_OPTION_DEPTH && row->type != TIPS_OPT_END; row++) {
        if (row->type == TIPS_OPT_GROUP) find_sets(walk, row->group, offset + row->offset, depth + 1);
        if (row->type != TIPS_OPT_GIVEN || walk->n_sets == TIPS_OPTION_DEPTH) continue;
        walk->sets[walk->n_sets].begin = offset;
        walk->sets[walk->n_sets].end = offset + row->extent;
        walk->sets[walk->n_sets++].offset = offset + row->offset;
    }
}

static void name_sets(const tips_option_walk *walk, tips_option *row) {
    int count = 0;
    memset(row->given, 0, sizeof row->given); /* the row may be from another walk */
    for (int i = 0; i < walk->n_sets && count < TIPS_GIVEN_SETS; i++)
        if (row->offset >= walk->sets[i].begin && row->offset < walk->sets[i].end)
            row->given[count++] = walk->sets[i].offset + 1;
}

tips_option_walk tips__options_walk(const tips_option *table) {
    tips_option_walk walk = {.depth = 0};
    find_sets(&walk, table, 0, 0);
    enter(&walk, table, 0, NULL);
    return walk;
}

/* The row that `row` is like, at its own place, with what it says over it. */
static tips_option liken(const tips_option *row) {
    tips_option like;
    if (!tips__option_find(row->group, row->name, &like)) return *row;
    like.offset = row->offset;
    if (row->fallback) like.fallback = row->fallback;
    if (row->unsaid) like.unsaid = row->unsaid;
    if (row->min != 0 || row->max != 0) like.min = row->min, like.max = row->max;
    if (row->choices) like.choices = row->choices;
    if (row->metavar) like.metavar = row->metavar;
    if (row->help) like.help = row->help;
    return like;
}

bool tips__options_next(tips_option_walk *walk) {
    while (walk->depth > 0) {
        const size_t offset = walk->level[walk->depth - 1].offset;
        const tips_option *row = walk->level[walk->depth - 1].at++;
        if (row->type == TIPS_OPT_END) {
            walk->depth--;
        } else if (row->type == TIPS_OPT_GROUP) {
            enter(walk, row->group, offset + row->offset, row->without);
        } else if (row->type != TIPS_OPT_GIVEN && !is_left_out(walk, row->name)) {
            walk->row = row->type == TIPS_OPT_LIKE ? liken(row) : *row;
            walk->row.offset += offset;
            name_sets(walk, &walk->row);
            return true;
        }
    }
    return false;
}

bool tips__option_find(const tips_option *table, const char *name, tips_option *out) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        if (!tips__same_name(walk.row.name, name)) continue;
        *out = walk.row;
        return true;
    }
    return false;
}

const char *tips__option_nearest(const tips_option *table, const char *word) {
    tips__nearest_search search = {.word = word};
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);)
        tips__nearest_offer(&search, walk.row.name);
    return search.best;
}
