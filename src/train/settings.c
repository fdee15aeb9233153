/* A list of names and values. */
#include "train/settings.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

enum { VALUE_SIZE = 4096 };

tips_status tips__settings_add(tips_settings *s, const char *name, const char *value) {
    const size_t bytes = (size_t)s->count * sizeof *s->items;
    tips_setting *longer = tips__grow(s->items, bytes, bytes + sizeof *s->items);
    if (!longer) TIPS_FAIL(TIPS_MEMORY, "out of memory for the option '%s'", name);
    s->items = longer;
    const tips_setting item = {tips__strdup(name), tips__strdup(value)};
    if (!item.name || !item.value) {
        tips__free(item.name);
        tips__free(item.value);
        TIPS_FAIL(TIPS_MEMORY, "out of memory for the option '%s'", name);
    }
    s->items[s->count++] = item;
    return TIPS_OK;
}

tips_status tips__settings_set(tips_settings *s, const char *name, const char *value) {
    for (int i = 0; i < s->count; i++) {
        if (strcmp(s->items[i].name, name) != 0) continue;
        char *copy = tips__strdup(value);
        if (!copy) TIPS_FAIL(TIPS_MEMORY, "out of memory for the option '%s'", name);
        tips__free(s->items[i].value);
        s->items[i].value = copy;
        return TIPS_OK;
    }
    return tips__settings_add(s, name, value);
}

void tips__settings_clear(tips_settings *s) {
    for (int i = 0; i < s->count; i++) {
        tips__free(s->items[i].name);
        tips__free(s->items[i].value);
    }
    tips__free(s->items);
    *s = (tips_settings){0};
}

const char *tips__settings_find(const tips_settings *s, const char *name) {
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->items[i].name, name) == 0) return s->items[i].value;
    return NULL;
}

static bool is_one_of(const char *const *names, const char *name) {
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

static bool is_missing(const tips_option *row, const void *config) {
    const char *text = NULL;
    if (row->type != TIPS_OPT_TEXT) return false;
    memcpy(&text, (const char *)config + row->offset, sizeof text);
    return !text;
}

tips_status tips__settings_from_options(tips_settings *s, const tips_option *table, const void *config,
                                        const char *const *without) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        char value[VALUE_SIZE];
        if (is_missing(&walk.row, config) || is_one_of(without, walk.row.name)) continue;
        tips__option_format(&walk.row, config, value, sizeof value);
        TIPS_TRY(tips__settings_add(s, walk.row.name, value));
    }
    return TIPS_OK;
}

tips_status tips__settings_apply(const tips_settings *s, const tips_option *table, void *config, const char *where) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        char place[512];
        const char *value = tips__settings_find(s, walk.row.name);
        if (!value) continue;
        snprintf(place, sizeof place, "%s: %s", where, walk.row.name);
        TIPS_TRY(tips__option_set_usual(&walk.row, config, value, place));
    }
    return TIPS_OK;
}

const char *tips__settings_find_or(const tips_settings *s, const tips_settings *usual, const char *name) {
    const char *said = tips__settings_find(s, name);
    return said ? said : tips__settings_find(usual, name);
}

static const char *differing(const tips_settings *a, const tips_settings *b, const tips_settings *usual) {
    for (int i = 0; i < a->count; i++) {
        const char *other = tips__settings_find_or(b, usual, a->items[i].name);
        if (!other || strcmp(other, a->items[i].value) != 0) return a->items[i].name;
    }
    return NULL;
}

const char *tips__settings_difference(const tips_settings *a, const tips_settings *b, const tips_settings *usual) {
    const char *name = differing(a, b, usual);
    return name ? name : differing(b, a, usual);
}
