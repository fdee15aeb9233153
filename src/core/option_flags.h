/* The flags that say a config again. */
#ifndef TIPS_CORE_OPTION_FLAGS_H
#define TIPS_CORE_OPTION_FLAGS_H

#include "core/option.h"
#include "core/text.h"

/* " --name value" for every option that differs from its default, or was given where the table notes that, but those
 * in `without` ("json quiet"; NULL: none). Words are quoted for a shell. */
void tips__options_flags(tips_text *out, const tips_option *table, const void *config, const char *without);

#endif
