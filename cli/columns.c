/* Headings one after the other. */
#include "columns.h"

#include <stdio.h>

static void add(cli_columns *c, const char *mark, const char *heading) {
    if (c->count == CLI_MOST_COLUMNS) return;
    snprintf(c->text[c->count], CLI_HEADING, "%s%s", mark, heading);
    c->names[c->count] = c->text[c->count];
    c->names[++c->count] = NULL;
}

void cli_add_column(cli_columns *columns, const char *heading) { add(columns, "", heading); }
void cli_add_number_column(cli_columns *columns, const char *heading) { add(columns, ">", heading); }
