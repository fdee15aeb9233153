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
    walk->level[walk->depth].given = walk->depth > 0 ? walk->level[walk->depth - 1].given : 0;
    walk->level[walk->depth].without = without;
    walk->depth++;
}

tips_option_walk tips__options_walk(const tips_option *table) {
    tips_option_walk walk = {.depth = 0};
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
        } else if (row->type == TIPS_OPT_GIVEN) {
            walk->level[walk->depth - 1].given = offset + row->offset + 1;
        } else if (!is_left_out(walk, row->name)) {
            walk->row = row->type == TIPS_OPT_LIKE ? liken(row) : *row;
            walk->row.offset += offset;
            walk->row.given = walk->level[walk->depth - 1].given;
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

bool tips__option_is_given(const tips_option *table, const void *config, const char *name) {
    tips_option row;
    if (!tips__option_find(table, name, &row) || row.given == 0) return false;
    const tips_option_list *list = (const void *)((const char *)config + row.given - 1);
    for (int i = 0; i < list->count; i++)
        if (tips__same_name(list->text[i], name)) return true;
    return false;
}

const char *tips__option_nearest(const tips_option *table, const char *word) {
    tips__nearest_search search = {.word = word};
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);)
        tips__nearest_offer(&search, walk.row.name);
    return search.best;
}
