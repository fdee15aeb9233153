/* Figures with two digits behind the point. */
#include "figure_cells.h"

#include <math.h>

void cli_value_cell(tips_text_table *table, double value) {
    if (isnan(value)) tips__table_cell(table, "-");
    else tips__table_cell(table, "%.2f", value);
}

void cli_figure_cells(tips_text_table *table, tips_figure figure) {
    cli_value_cell(table, figure.value);
    if (isnan(figure.low)) tips__table_cell(table, "-");
    else tips__table_cell(table, "%.2f..%.2f", figure.low, figure.high);
}

void cli_difference_cell(tips_text_table *table, tips_figure d) {
    if (isnan(d.value)) tips__table_cell(table, "-");
    else if (isnan(d.low)) tips__table_cell(table, "%+.2f", d.value);
    else tips__table_cell(table, "%+.2f (%+.2f to %+.2f)", d.value, d.low, d.high);
}
