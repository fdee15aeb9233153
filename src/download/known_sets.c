/* The table of datasets that can be downloaded. */
#include "download/known_sets.h"

#include "core/fail.h"
#include "core/nearest.h"

#include <stdio.h>
#include <string.h>

#define TIPS_KNOWN_SET(set, within, folder, base) {.name = set, .use = within, .unpacked = folder, .address = base},
#define TIPS_KNOWN_FILE(file, size, sum) {.name = file, .bytes = size, .sha256 = sum},
static const tips_known_row rows[] = {
#include "download/known_sets.def"
    {.name = NULL}};

void tips__known_set_names(char *out, size_t size) {
    size_t length = 0;
    for (const tips_known_row *row = rows; row->name && length < size; row++)
        if (row->address)
            length += (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : "", row->name);
}

tips_status tips__known_set_find(const char *name, const tips_known_row **out) {
    char names[256];
    tips__nearest_search search = {.word = name};
    for (const tips_known_row *row = rows; row->name; row++) {
        if (!row->address) continue;
        tips__nearest_offer(&search, row->name);
        if (strcmp(row->name, name) != 0) continue;
        *out = row;
        return TIPS_OK;
    }
    tips__known_set_names(names, sizeof names);
    if (search.best)
        TIPS_FAIL(TIPS_UNKNOWN, "unknown dataset '%s'; did you mean '%s'? There are %s", name, search.best, names);
    TIPS_FAIL(TIPS_UNKNOWN, "unknown dataset '%s'; there are %s, or name a file by its address", name, names);
}
