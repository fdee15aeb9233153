/* A plain text table with aligned columns, for terminals and documentation. */
#ifndef TIPS_CORE_TEXT_TABLE_H
#define TIPS_CORE_TEXT_TABLE_H

#include <stdio.h>
#include <tips/status.h>

typedef struct tips_text_table tips_text_table;

/* `columns` are headings, NULL-terminated; one that starts with '>' is right-aligned (the mark is not printed). */
tips_status tips__table_create(const char *const *columns, tips_text_table **out) TIPS_MUST_CHECK;
void tips__table_destroy(tips_text_table *table);
/* Adds the next cell, row by row, left to right. Failure is remembered and returned by print. */
void tips__table_cell(tips_text_table *table, const char *fmt, ...) TIPS_PRINTF(2, 3);
/* Columns padded with two spaces between, a rule under the headings, no trailing blanks. UTF-8 aware widths. */
tips_status tips__table_print(const tips_text_table *table, FILE *file) TIPS_MUST_CHECK;

#endif
