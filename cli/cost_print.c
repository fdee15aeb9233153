/* Our counts of parameters and arithmetic beside the paper's. */
#include "cost_print.h"

#include "core/text_table.h"

#include <string.h>

static const double million = 1e6;

/* A cell for a figure that may be missing (0). */
static void cell_or_dash(tips_text_table *table, double value) {
    if (value > 0) tips__table_cell(table, "%.3f", value);
    else tips__table_cell(table, "-");
}

void cli_cost_network_cell(tips_text_table *table, const tips_cost_row *row) {
    tips__table_cell(table, "%s%s%s", row->arch, row->backbone[0] ? ", " : "", row->backbone);
}

static void add_row(tips_text_table *table, const tips_cost_row *row) {
    cli_cost_network_cell(table, row);
    tips__table_cell(table, "%s", row->pool);
    tips__table_cell(table, "%.3f", (double)row->parameters / million);
    cell_or_dash(table, row->paper ? row->paper->parameters : 0);
    cell_or_dash(table, (double)row->paper_form / million);
    tips__table_cell(table, "%.3f", 1e-9 * row->multiply_adds);
    cell_or_dash(table, row->paper ? row->paper->gflop : 0);
}

static void print_networks(const tips_cost_result *r) {
    bool is_first = true;
    for (int i = 0; i < r->count; i++) {
        const tips_paper_network *network = r->rows[i].paper_network;
        if (!network || (i > 0 && strcmp(r->rows[i - 1].arch, r->rows[i].arch) == 0)) continue;
        if (is_first) puts("\nWhat the paper's figures were counted on:");
        is_first = false;
        printf("  %s%s%s: %s\n", network->arch, network->backbone ? ", " : "",
               network->backbone ? network->backbone : "", network->counted_on);
    }
}

tips_status cli_print_paper_costs(const tips_cost_result *result) {
    static const char *const columns[] = {"architecture", "operator", ">M parameters", ">paper", ">ours, so counted",
                                          ">G mult-adds", ">paper GFLOP", NULL};
    tips_text_table *table;
    tips_status status = tips__table_create(columns, &table);
    if (status != TIPS_OK) return status;
    for (int i = 0; i < result->count; i++) add_row(table, &result->rows[i]);
    status = tips__table_print(table, stdout);
    tips__table_destroy(table);
    if (status == TIPS_OK) print_networks(result);
    return status;
}

static void put_or_null(tips_json *json, const char *key, double value) {
    if (value > 0) tips__json_number(json, key, value);
    else tips__json_text(json, key, NULL);
}

void cli_put_paper_cost(tips_json *json, const tips_cost_row *row) {
    if (!row->paper) {
        tips__json_text(json, "paper", NULL);
        return;
    }
    tips__json_open_object(json, "paper");
    tips__json_text(json, "pool", row->paper->pool);
    put_or_null(json, "parameters_millions", row->paper->parameters);
    put_or_null(json, "gflop", row->paper->gflop);
    tips__json_text(json, "counted_on", row->paper_network->counted_on);
    if (row->paper_form) tips__json_int(json, "our_parameters_so", (int64_t)row->paper_form);
    else tips__json_text(json, "our_parameters_so", NULL);
    tips__json_close_object(json);
}
