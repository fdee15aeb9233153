/* The operator behind tips_custom_pool: not in pools.def, because it has no name of its own. */
#ifndef TIPS_POOL_POOL_CUSTOM_H
#define TIPS_POOL_POOL_CUSTOM_H

#include <tips/custom_pool.h>

#include "pool/pool.h"

/* `pool` must outlive every graph that the spec is placed in. */
tips_status tips__pool_custom_spec(const tips_custom_pool *pool, int lpf, tips_pool_spec *out) TIPS_MUST_CHECK;
/* The caller's operator, or NULL if the spec is of another. */
const tips_custom_pool *tips__pool_custom_of(const tips_pool_spec *spec);

#endif
