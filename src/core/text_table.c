/* A plain text table: cells are kept as texts, widths are measured when it is printed. */
#include "core/text_table.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/utf8.h"
#include "core/visible.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

struct tips_text_table {
    size_t n_columns;
    bool *right;  /* (n_columns) */
    size_t count; /* cells in use, the headings being the first row */
    size_t capacity;
    char **cells; /* (capacity) */
    tips_status status;
};

static tips_status make_room(tips_text_table *table) {
    if (table->count < table->capacity) return TIPS_OK;
    const size_t capacity = 2 * table->capacity + 16;
    char **cells = tips__grow(table->cells, table->count * sizeof *cells, capacity * sizeof *cells);
    if (!cells) TIPS_FAIL(TIPS_MEMORY, "out of memory for the %zu cells of a table", capacity);
    table->cells = cells;
    table->capacity = capacity;
    return TIPS_OK;
}

static tips_status add_cell(tips_text_table *table, const char *text) {
    const size_t length = tips__visible(text, NULL, 0);
    char *copy;
    TIPS_TRY(make_room(table));
    TIPS_TRY(tips__new(&copy, length + 1, "a cell of a table"));
    tips__visible(text, copy, length + 1);
    table->cells[table->count++] = copy;
    return TIPS_OK;
}

static tips_status fill_headings(tips_text_table *table, const char *const *columns) {
    while (columns[table->n_columns]) table->n_columns++;
    TIPS_TRY(tips__new_zero(&table->right, table->n_columns * sizeof *table->right, "the columns of a table"));
    for (size_t i = 0; i < table->n_columns; i++) {
        table->right[i] = columns[i][0] == '>';
        TIPS_TRY(add_cell(table, columns[i] + table->right[i]));
    }
    return TIPS_OK;
}

tips_status tips__table_create(const char *const *columns, tips_text_table **out) {
    tips_text_table *table;
    TIPS_TRY(tips__new_zero(&table, sizeof *table, "a table"));
    const tips_status status = fill_headings(table, columns);
    if (status != TIPS_OK) {
        tips__table_destroy(table);
        return status;
    }
    *out = table;
    return TIPS_OK;
}

void tips__table_destroy(tips_text_table *table) {
    if (!table) return;
    for (size_t i = 0; i < table->count; i++) tips__free(table->cells[i]);
    tips__free(table->cells);
    tips__free(table->right);
    tips__free(table);
}

static tips_status add_formatted(tips_text_table *table, const char *fmt, va_list args) {
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (length < 0) TIPS_FAIL(TIPS_INVALID, "a cell of a table could not be formatted by '%s'", fmt);
    char *text;
    TIPS_TRY(tips__new(&text, (size_t)length + 1, "a cell of a table"));
    vsnprintf(text, (size_t)length + 1, fmt, args);
    const tips_status status = add_cell(table, text);
    tips__free(text);
    return status;
}

void tips__table_cell(tips_text_table *table, const char *fmt, ...) {
    if (table->status != TIPS_OK) return;
    va_list args;
    va_start(args, fmt);
    table->status = add_formatted(table, fmt, args);
    va_end(args);
}

static size_t column_width(const tips_text_table *table, size_t column) {
    size_t widest = 0;
    for (size_t i = column; i < table->count; i += table->n_columns) {
        const size_t width = tips__utf8_width(table->cells[i]);
        if (width > widest) widest = width;
    }
    return widest;
}

static void repeat(FILE *file, char letter, size_t times) {
    while (times--) fputc(letter, file);
}

/* Blanks are owed until the next visible letter, so none trails. */
static void print_row(const tips_text_table *table, size_t first, const size_t *widths, FILE *file) {
    size_t owed = 0;
    for (size_t column = 0; column < table->n_columns; column++) {
        const char *text = first + column < table->count ? table->cells[first + column] : "";
        const size_t blanks = widths[column] - tips__utf8_width(text);
        if (table->right[column]) owed += blanks;
        if (*text) {
            repeat(file, ' ', owed);
            fputs(text, file);
            owed = 0;
        }
        owed += table->right[column] ? 2 : blanks + 2;
    }
    fputc('\n', file);
}

static void print_rule(const tips_text_table *table, const size_t *widths, FILE *file) {
    for (size_t column = 0; column < table->n_columns; column++) {
        if (column > 0) fputs("  ", file);
        repeat(file, '-', widths[column]);
    }
    fputc('\n', file);
}

tips_status tips__table_print(const tips_text_table *table, FILE *file) {
    if (table->status != TIPS_OK)
        TIPS_FAIL(table->status, "a table is not complete: %s", tips_status_message(table->status));
    if (table->n_columns == 0) return TIPS_OK;
    size_t *widths; /* (n_columns) */
    TIPS_TRY(tips__new(&widths, table->n_columns * sizeof *widths, "the column widths of a table"));
    for (size_t column = 0; column < table->n_columns; column++) widths[column] = column_width(table, column);
    print_row(table, 0, widths, file);
    print_rule(table, widths, file);
    for (size_t first = table->n_columns; first < table->count; first += table->n_columns) {
        print_row(table, first, widths, file);
    }
    tips__free(widths);
    if (ferror(file)) TIPS_FAIL(TIPS_IO, "a table could not be written");
    return TIPS_OK;
}
