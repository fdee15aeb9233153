/* Figures of detections, and the AP of every class, as tables or as JSON. */
#include "detections_print.h"

#include "cli.h"
#include "figure_cells.h"

#include "core/json.h"

static void heading(const tips_detections_result *r, FILE *file) {
    char text[256];
    fprintf(file, "%s: %lld detections; ", cli_shown(r->file), (long long)r->detections);
    fprintf(file, "%s (%s), %s, %d pictures, %d objects\n", cli_shown(r->data), r->format, r->split, r->images,
            r->objects);
    for (int i = 0; tips__detections_remark(r, i, text, sizeof text); i++) fprintf(file, "%s\n", text);
    fputc('\n', file);
}

static tips_status finish(tips_text_table *table, FILE *file) {
    const tips_status status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static tips_status print_figures(const tips_detections_result *r, FILE *file) {
    static const char *const columns[] = {"metric", ">percent", ">95 % interval", NULL};
    const tips_metric *task = r->figures.task;
    tips_text_table *table;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; task[i].name; i++) {
        if (task[i].need != TIPS_NEEDS_NOTHING) continue;
        tips__table_cell(table, "%s", task[i].label);
        cli_figure_cells(table, r->figures.own[i]);
    }
    return finish(table, file);
}

static tips_status print_classes(const tips_detections_result *r, FILE *file) {
    static const char *const columns[] = {"class", ">AP", ">95 % interval", NULL};
    tips_text_table *table;
    const tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < r->n_classes; i++) {
        tips__table_cell(table, "%s", r->classes[i].name);
        cli_figure_cells(table, r->classes[i].figure);
    }
    fputc('\n', file);
    return finish(table, file);
}

tips_status cli_print_detections(const tips_detections_result *r, FILE *file) {
    heading(r, file);
    const tips_status status = print_figures(r, file);
    return status == TIPS_OK ? print_classes(r, file) : status;
}

tips_status cli_print_detections_json(const tips_detections_result *r, FILE *file) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__detections_put(json, r);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}
