/* Names for a message. */
#include "model/few_names.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 3 };

void tips__few_names_add(tips_few_names *list, const char *name) {
    const size_t used = strlen(list->text);
    if (list->count++ < NAMED)
        snprintf(list->text + used, sizeof list->text - used, "%s'%.80s'", used ? ", " : "", name);
}

const char *tips__few_names_text(tips_few_names *list) {
    const size_t used = strlen(list->text);
    if (list->count > NAMED) snprintf(list->text + used, sizeof list->text - used, " and %d more", list->count - NAMED);
    return list->text;
}
