/* The table of `tips cost --paper`. */
#ifndef TIPS_CLI_COST_PRINT_H
#define TIPS_CLI_COST_PRINT_H

#include "bench/cost.h"
#include "core/json.h"
#include "core/text_table.h"

/* "unet, resnet18": the architecture, with its backbone if it has one. */
void cli_cost_network_cell(tips_text_table *table, const tips_cost_row *row);
/* Our counts beside the paper's, then what its figures were counted on. */
tips_status cli_print_paper_costs(const tips_cost_result *result);
/* "paper" of a row: its figures, or null. */
void cli_put_paper_cost(tips_json *json, const tips_cost_row *row);

#endif
