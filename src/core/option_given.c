/* What was given is a fact of its own, beside what it was set to. */
#include "core/option.h"

bool tips__given_has(const tips_given *given, const char *name) {
    for (int i = 0; i < given->count; i++)
        if (tips__same_name(given->names[i], name)) return true;
    return false;
}

void tips__given_note(tips_given *given, const char *name) {
    if (given->count < TIPS_GIVEN_MOST && !tips__given_has(given, name)) given->names[given->count++] = name;
}

void tips__option_note_given(const tips_option *row, void *config) {
    for (int i = 0; i < TIPS_GIVEN_SETS && row->given[i] > 0; i++)
        tips__given_note((void *)((char *)config + row->given[i] - 1), row->name);
}

bool tips__option_is_given(const tips_option *table, const void *config, const char *name) {
    tips_option row;
    if (!tips__option_find(table, name, &row) || row.given[0] == 0) return false;
    return tips__given_has((const void *)((const char *)config + row.given[0] - 1), name);
}
