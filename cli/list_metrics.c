/* The metrics as a table or as JSON. */
#include "list_metrics.h"

#include "api/catalog.h"
#include "core/json.h"
#include "core/text_table.h"

static tips_status print_table(FILE *file) {
    static const char *const columns[] = {"name", "unit", "better", "needs", "what it is", NULL};
    tips_text_table *table;
    tips_catalog_row row;
    tips_catalog_metric metric;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; tips__catalog_metric(i, &row, &metric); i++) {
        tips__table_cell(table, "%s", row.name);
        tips__table_cell(table, "%s", *metric.unit ? metric.unit : "-");
        tips__table_cell(table, "%s", metric.better);
        tips__table_cell(table, "%s", metric.needs);
        tips__table_cell(table, "%s", row.brief);
    }
    status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static void put_row(tips_json *json, const tips_catalog_row *row, const tips_catalog_metric *metric) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "name", row->name);
    tips__json_text(json, "brief", row->brief);
    tips__json_text(json, "unit", metric->unit);
    tips__json_text(json, "better", metric->better);
    tips__json_text(json, "needs", metric->needs);
    tips__json_close_object(json);
}

static tips_status print_json(FILE *file) {
    tips_json *json;
    tips_catalog_row row;
    tips_catalog_metric metric;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__json_open_array(json, "metrics");
    for (int i = 0; tips__catalog_metric(i, &row, &metric); i++) put_row(json, &row, &metric);
    tips__json_close_array(json);
    tips__json_close_object(json);
    status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}

tips_status cli_list_metrics(bool json, FILE *file) { return json ? print_json(file) : print_table(file); }
