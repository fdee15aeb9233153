/* The headings of a table whose columns are not known beforehand. */
#ifndef TIPS_CLI_COLUMNS_H
#define TIPS_CLI_COLUMNS_H

enum { CLI_MOST_COLUMNS = 40, CLI_HEADING = 64 };

typedef struct cli_columns {
    char text[CLI_MOST_COLUMNS][CLI_HEADING];
    const char *names[CLI_MOST_COLUMNS + 1]; /* closed by NULL, for tips__table_create */
    int count;
} cli_columns;

/* Beyond CLI_MOST_COLUMNS nothing is added. A number's heading stands at the right. */
void cli_add_column(cli_columns *columns, const char *heading);
void cli_add_number_column(cli_columns *columns, const char *heading);

#endif
