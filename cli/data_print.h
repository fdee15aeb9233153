/* What tips data prints. */
#ifndef TIPS_CLI_DATA_PRINT_H
#define TIPS_CLI_DATA_PRINT_H

#include "data/data_info.h"

tips_status cli_print_data_info(const tips_data_info *info, int seed);
tips_status cli_print_data_info_json(const tips_data_info *info);

#endif
