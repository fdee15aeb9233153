/* Reading and writing "name:key=value,..." by a table of names. */
#include "core/named.h"

#include "core/fail.h"
#include "core/nearest.h"

#include <string.h>

enum { NAME_SIZE = 64, VALUE_SIZE = 64, LIST_SIZE = 512 };

static void list_names(const tips_name_table *table, char *out, size_t size) {
    size_t length = 0;
    for (int i = 0; table->row(i).name && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? ", " : "", table->row(i).name);
}

static tips_status refuse_name(const tips_name_table *table, const char *name) {
    char names[LIST_SIZE];
    list_names(table, names, sizeof names);
    tips__nearest_search search = {.word = name};
    for (int i = 0; table->row(i).name; i++) tips__nearest_offer(&search, table->row(i).name);
    if (!search.best) TIPS_FAIL(TIPS_UNKNOWN, "unknown %s '%s'; there are %s", table->what, name, names);
    TIPS_FAIL(TIPS_UNKNOWN, "unknown %s '%s'; did you mean '%s'? There are %s", table->what, name, search.best, names);
}

tips_status tips__named_find(const tips_name_table *table, const char *text, int *row) {
    char name[NAME_SIZE];
    const size_t length = strcspn(text, ":");
    if (length >= sizeof name) TIPS_FAIL(TIPS_UNKNOWN, "unknown %s '%.40s...'", table->what, text);
    memcpy(name, text, length);
    name[length] = '\0';
    for (int i = 0; table->row(i).name; i++) {
        if (!tips__same_name(table->row(i).name, name)) continue;
        *row = i;
        return TIPS_OK;
    }
    return refuse_name(table, name);
}

/* Whether `options` begin with a value and not with a key: "32" or "32,eps=1e-3". */
static bool begins_with_value(const tips_option *rows, const char *options) {
    char word[NAME_SIZE];
    const size_t length = strcspn(options, "=,");
    tips_option row;
    if (length == 0 || length >= sizeof word || options[length] == '=') return false;
    memcpy(word, options, length);
    word[length] = '\0';
    return !tips__option_find(rows, word, &row);
}

static tips_status read_options(const tips_name_table *table, tips_named row, const char *options, void *config) {
    char whole[LIST_SIZE];
    tips_option_walk walk = tips__options_walk(row.options);
    const bool has_first = table->first_alone && tips__options_next(&walk);
    if (!has_first || !begins_with_value(row.options, options))
        return tips__options_parse(row.options, config, options, row.name);
    if (snprintf(whole, sizeof whole, "%s=%s", walk.row.name, options) >= (int)sizeof whole)
        TIPS_FAIL(TIPS_INVALID, "the options '%.40s...' of %s are too long", options, row.name);
    return tips__options_parse(row.options, config, whole, row.name);
}

static tips_status read_over(const tips_name_table *table, int row, const char *text, void *config) {
    const char *colon = strchr(text, ':');
    return colon ? read_options(table, table->row(row), colon + 1, config) : TIPS_OK;
}

tips_status tips__named_read(const tips_name_table *table, int row, const char *text, void *config) {
    TIPS_TRY(tips__options_defaults(table->row(row).options, config));
    return read_over(table, row, text, config);
}

tips_status tips__named_read_stored(const tips_name_table *table, int row, const char *text, void *config) {
    TIPS_TRY(tips__options_unsaid(table->row(row).options, config));
    return read_over(table, row, text, config);
}

void tips__named_format(tips_named row, const void *config, char *out, size_t size) {
    char options[LIST_SIZE];
    tips__options_format(row.options, config, options, sizeof options);
    snprintf(out, size, "%s%s%s", row.name, options[0] ? ":" : "", options);
}

void tips__named_format_all(tips_named row, const void *config, char *out, size_t size) {
    size_t length = (size_t)snprintf(out, size, "%s", row.name);
    char mark = ':';
    for (tips_option_walk walk = tips__options_walk(row.options); tips__options_next(&walk); mark = ',') {
        char value[VALUE_SIZE];
        tips__option_format(&walk.row, config, value, sizeof value);
        if (length < size)
            length += (size_t)snprintf(out + length, size - length, "%c%s=%s", mark, walk.row.name, value);
    }
}
