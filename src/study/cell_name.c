/* What a cell is called: its folder, and its place on an axis. */
#include "study/grid_parts.h"

#include "core/fail.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a: the numbers are the same everywhere and for ever. */
static uint32_t add_text(uint32_t sum, const char *text) {
    for (; *text; text++) sum = (sum ^ (uint8_t)*text) * 16777619u;
    return (sum ^ 0xffu) * 16777619u;
}

/* An option that a later version brings leaves the names of cells that do not use it. */
static tips_status hash(const tips_train_config *train, uint32_t *out) {
    tips_train_config usual;
    tips_settings said = {0}, defaults = {0};
    uint32_t sum = 2166136261u;
    TIPS_TRY(tips__train_defaults(NULL, &usual));
    tips_status status = tips__train_settings(train, &said);
    if (status == TIPS_OK) status = tips__train_settings(&usual, &defaults);
    for (int i = 0; status == TIPS_OK && i < said.count; i++) {
        const char *other = tips__settings_find(&defaults, said.items[i].name);
        if (other && strcmp(other, said.items[i].value) == 0) continue;
        sum = add_text(add_text(sum, said.items[i].name), said.items[i].value);
    }
    tips__settings_clear(&said);
    tips__settings_clear(&defaults);
    *out = sum;
    return status;
}

static const char *last_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return !path ? "data" : slash && slash[1] ? slash + 1 : path;
}

tips_status tips__cell_name(const tips_train_config *t, char *out, size_t size) {
    uint32_t sum;
    TIPS_TRY(hash(t, &sum));
    snprintf(out, size, "%.24s-%.24s-%.40s-d%d-s%d-%08x", t->model.arch, last_name(t->data), t->model.pool,
             t->model.down, t->model.seed, (unsigned)sum);
    for (char *at = out; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("-_.", *at)) *at = '-';
    return TIPS_OK;
}

static const char *text_of(const tips_cell *cell, const tips_option *row) {
    const char *text;
    memcpy(&text, (const char *)&cell->train + row->offset, sizeof text);
    return text ? text : "";
}

/* The end of a long path says more than its beginning. */
static void label_by_text(tips_cell *cell, int axis, const tips_option *row) {
    const char *text = text_of(cell, row);
    const size_t length = strlen(text), most = TIPS_LABEL_SIZE - 1;
    snprintf(cell->labels[axis], TIPS_LABEL_SIZE, "%s", length > most ? text + length - most : text);
}

static int first_alike(const tips_grid *g, int axis, int cell) {
    int i = 0;
    while (strcmp(g->cells[i].labels[axis], g->cells[cell].labels[axis]) != 0) i++;
    return i;
}

static void tell_axis_apart(tips_grid *g, int axis, const tips_option *row) {
    for (int i = 0; i < g->n_cells; i++) {
        char label[TIPS_LABEL_SIZE];
        const int first = first_alike(g, axis, i);
        if (!g->cells[i].labels[axis][0] || strcmp(text_of(&g->cells[first], row), text_of(&g->cells[i], row)) == 0)
            continue;
        memcpy(label, g->cells[i].labels[axis], sizeof label);
        for (int k = 0; k < g->n_cells; k++)
            if (strcmp(g->cells[k].labels[axis], label) == 0) label_by_text(&g->cells[k], axis, row);
    }
}

void tips__cells_tell_apart(tips_grid *g) {
    tips_option row;
    for (int axis = 0; axis < g->n_axes; axis++)
        if (tips__option_find(tips__train_rows, g->axes[axis], &row) && row.type == TIPS_OPT_TEXT)
            tell_axis_apart(g, axis, &row);
}

void tips__cell_label(const tips_grid *grid, const tips_cell *cell, const char *name, char *out, size_t size) {
    const int axis = tips__grid_axis(grid, name);
    tips_option row;
    out[0] = '\0';
    if (axis >= 0 && cell->labels[axis][0]) snprintf(out, size, "%s", cell->labels[axis]);
    else if (tips__option_find(tips__train_rows, name, &row)) {
        const char *text;
        char value[4096];
        memcpy(&text, (const char *)&cell->train + row.offset, sizeof text);
        if (row.type == TIPS_OPT_TEXT && !text) return;
        tips__option_format(&row, &cell->train, value, sizeof value);
        snprintf(out, size, "%s", row.type == TIPS_OPT_TEXT && strcmp(name, "data") == 0 ? last_name(value) : value);
    }
}
