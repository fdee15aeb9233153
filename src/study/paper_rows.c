/* study.csv, whose rows have all that claims ask of models. */
#include "study/paper_parts.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/text_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 32, CELL = 256 };

typedef struct row {
    char cells[MOST_COLUMNS][CELL];
    int count;
} row;

/* A cell up to its comma; quotes within quotes are written twice. */
static const char *read_cell(const char *at, char out[CELL]) {
    size_t n = 0;
    const bool quoted = *at == '"';
    if (quoted) at++;
    for (; *at && (quoted ? *at != '"' || at[1] == '"' : *at != ',' && *at != '\n'); at++) {
        if (quoted && *at == '"') at++;
        if (n + 1 < CELL) out[n++] = *at;
    }
    out[n] = '\0';
    return quoted && *at ? at + 1 : at;
}

/* The line's cells; behind its end. */
static const char *read_row(const char *at, row *out) {
    for (out->count = 0; out->count < MOST_COLUMNS;) {
        at = read_cell(at, out->cells[out->count++]);
        if (*at != ',') break;
        at++;
    }
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

/* "norm=batch, strategy=max, both shifts": parts without = belong to the one before. */
static bool next_axis(const char **rest, char key[CELL], char value[CELL]) {
    const char *at = *rest, *is = strchr(at, '='), *end = at;
    if (!*at || !is) return false;
    for (;;) {
        const char *comma = strstr(end + (end > at), ", ");
        end = comma ? comma : at + strlen(at);
        if (!comma || strcspn(comma + 2, "=") < strcspn(comma + 2, ",")) break;
    }
    snprintf(key, CELL, "%.*s", (int)(is - at), at);
    snprintf(value, CELL, "%.*s", (int)(end - is - 1), is + 1);
    *rest = *end ? end + 2 : end;
    return true;
}

static const char *cell_of(const row *head, const row *r, const char *column) {
    for (int i = 0; i < head->count && i < r->count; i++)
        if (strcmp(head->cells[i], column) == 0) return r->cells[i];
    return "";
}

/* The operator is an axis of its own, unless one of those that vary says which it is. */
static void put_axes(tips_json *json, const row *head, const row *r) {
    static const char *const plain[] = {"data", "network", "width", "down", "seed"};
    const char *rest = cell_of(head, r, "variant");
    const bool says_operator = strstr(rest, "operator=") || strstr(rest, "strategy=");
    char key[CELL], value[CELL];
    tips__json_open_object(json, "axes");
    if (!says_operator) tips__json_text(json, "pool", cell_of(head, r, "operator"));
    for (int i = 0; i < 5; i++)
        if (!strstr(rest, plain[i])) tips__json_text(json, plain[i], cell_of(head, r, plain[i]));
    while (next_axis(&rest, key, value)) tips__json_text(json, key, value);
    tips__json_close_object(json);
}

static void put_model(tips_json *json, const row *head, const row *r) {
    tips__json_open_object(json, NULL);
    put_axes(json, head, r);
    for (int i = 0; i < head->count && i < r->count; i++) {
        double number;
        if (tips__number_parse(r->cells[i], &number)) tips__json_number(json, head->cells[i], number);
        else tips__json_text(json, head->cells[i], r->cells[i]);
    }
    tips__json_close_object(json);
}

static void put_study(tips_json *json, const char *text, const char *study) {
    row head, one;
    int models = 0;
    tips__json_open_object(json, NULL);
    tips__json_text(json, "study", study);
    tips__json_open_array(json, "models");
    for (const char *at = read_row(text, &head); *at; models++) {
        at = read_row(at, &one);
        put_model(json, &head, &one);
    }
    tips__json_close_array(json);
    tips__json_int(json, "cells", models);
    tips__json_int(json, "done", models);
    tips__json_close_object(json);
}

tips_status tips__paper_rows(const char *path, const char *study, tips_json_node **out) {
    char *text;
    const char *written;
    size_t length;
    tips_json *json;
    TIPS_TRY(tips__text_file_read(path, &text, &length));
    tips_status status = tips__json_create(&json);
    if (status == TIPS_OK) {
        put_study(json, text, study);
        status = tips__json_result(json, &written, &length);
        if (status == TIPS_OK) status = tips__json_tree_parse(written, length, out);
        tips__json_destroy(json);
    }
    tips__free(text);
    return status;
}
