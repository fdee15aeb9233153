/* What there is to choose from: pooling operators with their options, and architectures. */
#ifndef TIPS_CATALOG_H
#define TIPS_CATALOG_H

#include <stdbool.h>
#include <tips/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An operator; the traits are those with its default options. */
typedef struct tips_pool_info {
    const char *name, *brief;
    bool exact;      /* commutes with every circular shift */
    bool learned;    /* has parameters */
    bool stochastic; /* samples in training */
    bool losses;     /* brings losses of its own */
    bool chooses;    /* one phase per image */
} tips_pool_info;

typedef struct tips_option_info {
    const char *name, *help;
    const char *fallback; /* the default */
    char range[128];      /* "soft|hard", "0..16" */
} tips_option_info;

typedef struct tips_arch_info {
    const char *name, *brief;
} tips_arch_info;

/* Entry i, or false beyond the last:
 *     tips_pool_info pool;
 *     for (int i = 0; tips_catalog_pool(i, &pool); i++) puts(pool.name); */
TIPS_API bool tips_catalog_pool(int i, tips_pool_info *out);
TIPS_API bool tips_catalog_arch(int i, tips_arch_info *out);
/* Option i of the operator called `pool`, written "pool:name=value"; false also if there is no such operator. */
TIPS_API bool tips_catalog_option(const char *pool, int i, tips_option_info *out);

#ifdef __cplusplus
}
#endif
#endif
