/* Splitting "max,tips:psi=full,fm=band" at the commas between names. */
#include "core/name_list.h"

#include "core/fail.h"

#include <string.h>

/* True if the part that starts here is "key=value": no colon before its first equals sign. */
static bool continues(const char *part) {
    const size_t length = strcspn(part, ",:=");
    return part[length] == '=';
}

static size_t name_length(const char *text) {
    size_t length = strcspn(text, ",");
    while (text[length] == ',' && continues(text + length + 1)) length += 1 + strcspn(text + length + 1, ",");
    return length;
}

tips_status tips__name_list_next(const char **list, char *out, size_t size, bool *more) {
    *more = **list != '\0';
    if (!*more) return TIPS_OK;
    const size_t length = name_length(*list);
    const bool ends_in_comma = (*list)[length] == ',' && (*list)[length + 1] == '\0';
    if (length == 0 || ends_in_comma) TIPS_FAIL(TIPS_INVALID, "a name is missing beside a comma in '%.80s'", *list);
    if (length >= size) TIPS_FAIL(TIPS_INVALID, "'%.40s...' is too long for a name", *list);
    memcpy(out, *list, length);
    out[length] = '\0';
    *list += length + ((*list)[length] == ',');
    return TIPS_OK;
}

int tips__name_list_count(const char *list) {
    int count = 0;
    while (*list) {
        const size_t length = name_length(list);
        list += length + (list[length] == ',');
        count++;
    }
    return count;
}
