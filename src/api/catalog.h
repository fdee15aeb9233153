/* What there is to choose from: operators, architectures, layers, norms, optimisers and metrics as plain rows, for tips
 * list and documentation. */
#ifndef TIPS_API_CATALOG_H
#define TIPS_API_CATALOG_H

#include <stdbool.h>
#include <tips/status.h>

#include "core/option.h"

typedef struct tips_catalog_row {
    const char *name, *brief;
    const tips_option *options; /* closed by TIPS_OPT_END, or NULL */
} tips_catalog_row;

/* Of an operator with its default options. */
typedef struct tips_catalog_traits {
    bool exact, learned, stochastic, losses, chooses;
} tips_catalog_traits;

/* Of a metric. */
typedef struct tips_catalog_metric {
    const char *unit, *better, *needs; /* "%", "higher", "heat map"; see tips_metric */
} tips_catalog_metric;

/* Row i, or false beyond the last. */
bool tips__catalog_pool(int i, tips_catalog_row *row, tips_catalog_traits *traits);
bool tips__catalog_arch(int i, tips_catalog_row *row);
bool tips__catalog_layer(int i, tips_catalog_row *row); /* without those that only others make */
bool tips__catalog_norm(int i, tips_catalog_row *row);
bool tips__catalog_optimizer(int i, tips_catalog_row *row);
bool tips__catalog_task(int i, tips_catalog_row *row);
bool tips__catalog_metric(int i, tips_catalog_row *row, tips_catalog_metric *metric);

#endif
