/* A figure in a table: its value and its interval. */
#ifndef TIPS_CLI_FIGURE_CELLS_H
#define TIPS_CLI_FIGURE_CELLS_H

#include "core/text_table.h"
#include "metric/interval.h"

/* One cell; "-" for what is not a number. */
void cli_value_cell(tips_text_table *table, double value);
/* Two of them: the value, and from where to where. */
void cli_figure_cells(tips_text_table *table, tips_figure figure);
/* One, of a difference: "+1.20 (-0.30 to +2.70)". */
void cli_difference_cell(tips_text_table *table, tips_figure difference);

#endif
