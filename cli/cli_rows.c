/* Rows that many commands have. */
#include "cli.h"

const tips_option cli_rows[] = {
    {.name = "json", .type = TIPS_OPT_BOOL, .fallback = "false", .help = "print JSON"},
    {.name = "verbose",
     .type = TIPS_OPT_BOOL,
     .fallback = "false",
     .help = "a line per epoch, and now and then one within it, on standard error also when that is not a terminal"},
    {.type = TIPS_OPT_END},
};
