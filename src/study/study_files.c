/* What a study leaves: a row for each model as CSV and JSON, the analyses as text, figures and a page. */
#include "study/study.h"

#include <tips/version.h>

#include "core/atomic_file.h"
#include "core/build.h"
#include "core/fail.h"
#include "core/make_folder.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/text.h"
#include "study/analysis.h"
#include "study/study_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The columns before the figures, and what they are in a cell. */
static const char *const kept[] = {"data", "arch", "width", "pool", "down", "seed"};
static const char *const figures[] = {"metric",
                                      "standard_consistency",
                                      "standard_fidelity",
                                      "circular_consistency",
                                      "circular_fidelity",
                                      "msb",
                                      "msb_nontrivial",
                                      "validation",
                                      "images",
                                      "seconds"};
enum { KEPT = sizeof kept / sizeof kept[0], FIGURES = sizeof figures / sizeof figures[0], LABEL = 256 };

static bool is_kept(const char *axis) {
    for (int i = 0; i < KEPT; i++)
        if (tips__same_name(axis, kept[i])) return true;
    return false;
}

/* What tells a model from others besides these columns: "eps=0.4, loss=both". */
static void name_variant(const tips_study *s, int cell, char *out, size_t size) {
    const tips_grid *g = &s->grid;
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < g->n_axes && n < size; i++)
        if (!is_kept(g->axes[i]) && g->cells[cell].labels[i][0])
            n += (size_t)snprintf(out + n, size - n, "%s%s=%s", n ? ", " : "", g->axes[i], g->cells[cell].labels[i]);
}

static const char *task_of(const tips_study *s, int cell) {
    tips_task_spec task;
    if (tips__model_options_task(&s->grid.cells[cell].train.model, &task) != TIPS_OK) return "";
    return task.task->name;
}

/* A text of CSV: quoted where it has to be. */
static void add_text(tips_text *out, const char *text) {
    if (!strpbrk(text, ",\"\n")) {
        tips__text_add(out, text);
        return;
    }
    tips__text_add(out, "\"");
    for (; *text; text++) {
        if (*text == '"') tips__text_add(out, "\"");
        tips__text_add_bytes(out, text, 1);
    }
    tips__text_add(out, "\"");
}

static void add_row(tips_text *out, const tips_study *s, int cell) {
    char label[LABEL];
    add_text(out, task_of(s, cell));
    for (int i = 0; i < KEPT; i++) {
        tips__cell_label(&s->grid, &s->grid.cells[cell], kept[i], label, sizeof label);
        tips__text_add(out, ",");
        add_text(out, label);
    }
    name_variant(s, cell, label, sizeof label);
    tips__text_add(out, ",");
    add_text(out, label);
    for (int i = 0; i < FIGURES; i++) {
        const double value = tips__study_value(s, cell, figures[i]);
        char number[TIPS_NUMBER_SIZE] = "";
        if (!isnan(value)) tips__number_format(value, number, sizeof number);
        tips__text_print(out, ",%s", number);
    }
    tips__text_print(out, ",%s\n", s->grid.cells[cell].name);
}

static tips_status write_csv(const tips_study *s, const char *name) {
    char path[TIPS_PATH_SIZE];
    tips_text text = {0};
    TIPS_TRY(tips__path_join(s->config->out, name, path));
    tips__text_add(&text, "task,data,network,width,operator,down,seed,variant");
    for (int i = 0; i < FIGURES; i++) tips__text_print(&text, ",%s", figures[i]);
    tips__text_add(&text, ",folder\n");
    for (int i = 0; i < s->grid.n_cells; i++)
        if (s->runs[i].done && tips__study_is_mine(s, i)) add_row(&text, s, i);
    tips_status status = tips__text_check(&text);
    if (status == TIPS_OK) status = tips__atomic_save(path, text.data, text.length);
    tips__text_clear(&text);
    return status;
}

static void put_model(tips_json *json, const tips_study *s, int cell) {
    char label[LABEL];
    tips__json_open_object(json, NULL);
    tips__json_text(json, "folder", s->grid.cells[cell].name);
    tips__json_text(json, "task", task_of(s, cell));
    for (int i = 0; i < KEPT; i++) {
        tips__cell_label(&s->grid, &s->grid.cells[cell], kept[i], label, sizeof label);
        tips__json_text(json, kept[i], label);
    }
    tips__json_open_object(json, "axes");
    for (int i = 0; i < s->grid.n_axes; i++)
        if (s->grid.cells[cell].labels[i][0]) tips__json_text(json, s->grid.axes[i], s->grid.cells[cell].labels[i]);
    tips__json_close_object(json);
    for (int i = 0; i < FIGURES; i++) tips__json_number(json, figures[i], tips__study_value(s, cell, figures[i]));
    tips__json_close_object(json);
}

static void put_head(tips_json *json, const tips_study *s) {
    const tips_grid_options *o = &s->grid.options;
    int done = 0;
    for (int i = 0; i < s->grid.n_cells; i++) done += s->runs[i].done;
    tips__json_text(json, "study", o->study);
    tips__json_text(json, "title", o->title);
    tips__json_text(json, "version", tips_version());
    tips__json_text(json, "build", tips__build());
    tips__json_int(json, "cells", s->grid.n_cells);
    tips__json_int(json, "done", done);
    if (s->interrupted) tips__json_bool(json, "interrupted", true);
    tips__json_int(json, "limit", o->limit);
    tips__json_open_array(json, "failed");
    for (int i = 0; i < s->grid.n_cells; i++) {
        if (s->runs[i].done || !s->failures[i][0]) continue;
        tips__json_open_object(json, NULL);
        tips__json_text(json, "folder", s->grid.cells[i].name);
        tips__json_text(json, "why", s->failures[i]);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

static bool chosen_on(const void *study, char *out) {
    const tips_study *s = study;
    int count = 0;
    for (int i = 0; i < s->grid.n_cells; i++) count += s->runs[i].done && s->runs[i].chosen_on;
    snprintf(out, TIPS_WARNING_SIZE,
             "The best epochs of %d models were chosen by the pictures that their figures are of: the figures flatter "
             "them. An independent result needs test pictures.",
             count);
    return count > 0;
}

const tips_warning_rule tips__study_rules[] = {{"validation_as_test", false, chosen_on}, {.name = NULL}};

void tips__study_put(tips_json *json, const tips_study *s) {
    put_head(json, s);
    tips__warnings_put(json, tips__study_rules, s);
    tips__json_open_array(json, "models");
    for (int i = 0; i < s->grid.n_cells; i++)
        if (s->runs[i].done) put_model(json, s, i);
    tips__json_close_array(json);
}

static tips_status save_text(const tips_study *s, const char *name, const char *text, size_t length) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(s->config->out, name, path));
    return tips__atomic_save(path, text, length);
}

static tips_status save_figures(const tips_study *s, const tips_chart_list *charts) {
    char folder[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(s->config->out, "figures", folder));
    if (charts->count > 0) TIPS_TRY(tips__make_folder(folder));
    for (int i = 0; i < charts->count; i++) {
        const tips_chart *chart = &charts->charts[i]->chart;
        TIPS_TRY(tips__charts_save(&chart, 1, folder, chart->name));
    }
    return TIPS_OK;
}

/* Of models that are there, `text` is what the analyses say. */
static tips_status write_all(const tips_study *s, tips_json *json, FILE *stream, char *const *text, size_t *length,
                             tips_chart_list *charts) {
    tips__json_open_object(json, NULL);
    tips__study_put(json, s);
    tips__json_open_array(json, "analyses");
    TIPS_TRY(tips__analyses_run(s, stream, json, charts));
    tips__json_close_array(json);
    tips__json_close_object(json);
    if (fflush(stream) != 0) TIPS_FAIL(TIPS_MEMORY, "out of memory for the text of a study");
    TIPS_TRY(tips__study_save(json, s->config->out, "study.json"));
    TIPS_TRY(save_text(s, "study.txt", *text, *length));
    TIPS_TRY(save_figures(s, charts));
    tips_text page = {0};
    char *const folder = (char *)s->config->out;
    tips_status status = tips__study_page(&folder, 1, NULL, &page);
    if (status == TIPS_OK) status = save_text(s, "study.html", page.data, page.length);
    tips__text_clear(&page);
    return status;
}

static tips_status analyse(const tips_study *s, FILE *out) {
    tips_chart_list charts = {0};
    char *text = NULL;
    size_t length = 0;
    tips_json *json;
    TIPS_TRY(tips__json_create(&json));
    FILE *stream = open_memstream(&text, &length);
    tips_status status = stream ? write_all(s, json, stream, &text, &length, &charts)
                                : tips__fail(TIPS_MEMORY, "out of memory for the text of a study");
    if (stream && fclose(stream) != 0 && status == TIPS_OK) status = tips__fail(TIPS_MEMORY, "out of memory");
    tips__chart_list_free(&charts);
    tips__json_destroy(json);
    if (status == TIPS_OK && out && length > 0) fprintf(out, "%s\n", text);
    free(text);
    return status;
}

tips_status tips__study_write(const tips_study *s, FILE *text) {
    char name[64];
    TIPS_TRY(tips__make_folder(s->config->out));
    if (s->config->shards > 1) {
        snprintf(name, sizeof name, "shard-%d-of-%d.csv", s->config->shard, s->config->shards);
        return write_csv(s, name);
    }
    TIPS_TRY(write_csv(s, "study.csv"));
    return analyse(s, text);
}
