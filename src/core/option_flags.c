/* From a config back to a command line. */
#include "core/option_flags.h"

#include <string.h>

enum { VALUE_SIZE = 256 };

static bool is_named(const char *names, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = names; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0) return true;
    return false;
}

static void add_word(tips_text *out, const char *name, const char *value) {
    tips__text_print(out, " --%s ", name);
    tips__text_word(out, value);
}

static const void *field(const tips_option *row, const void *config) { return (const char *)config + row->offset; }

static void add_list(tips_text *out, const tips_option *row, const tips_option_list *list) {
    for (int i = 0; i < list->count; i++) add_word(out, row->name, list->text[i]);
}

static void add_text(tips_text *out, const tips_option *row, const char *value, bool given) {
    const bool usual = value && row->fallback && strcmp(value, row->fallback) == 0;
    if (value && (given || !usual)) add_word(out, row->name, value);
}

static void add_value(tips_text *out, const tips_option *row, const void *config, bool given) {
    char value[VALUE_SIZE], usual[VALUE_SIZE];
    tips__option_format(row, config, value, sizeof value);
    if (!given && tips__option_format_fallback(row, usual, sizeof usual) && strcmp(value, usual) == 0) return;
    if (row->type != TIPS_OPT_BOOL) add_word(out, row->name, value);
    else tips__text_print(out, " --%s%s", *(const bool *)field(row, config) ? "" : "no-", row->name);
}

void tips__options_flags(tips_text *out, const tips_option *table, const void *config, const char *without) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        const tips_option *row = &walk.row;
        const bool given = tips__option_is_given(table, config, row->name);
        if (is_named(without, row->name)) continue;
        if (row->type == TIPS_OPT_LIST) add_list(out, row, field(row, config));
        else if (row->type == TIPS_OPT_TEXT) add_text(out, row, *(const char *const *)field(row, config), given);
        else add_value(out, row, config, given);
    }
}
