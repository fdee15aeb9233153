/* The public catalog: the same rows, for any number. */
#include <tips/catalog.h>

#include "api/catalog.h"
#include "arch/arch.h"

static bool has_pool(int i) {
    for (int k = 0; k <= i; k++)
        if (!tips__pools[k]) return false;
    return i >= 0;
}

static bool has_arch(int i) {
    for (int k = 0; k <= i; k++)
        if (!tips__archs[k]) return false;
    return i >= 0;
}

bool tips_catalog_pool(int i, tips_pool_info *out) {
    tips_catalog_row row;
    tips_catalog_traits traits;
    if (!out || !has_pool(i) || !tips__catalog_pool(i, &row, &traits)) return false;
    *out = (tips_pool_info){.name = row.name,
                            .brief = row.brief,
                            .exact = traits.exact,
                            .learned = traits.learned,
                            .stochastic = traits.stochastic,
                            .losses = traits.losses,
                            .chooses = traits.chooses};
    return true;
}

bool tips_catalog_arch(int i, tips_arch_info *out) {
    tips_catalog_row row;
    if (!out || !has_arch(i) || !tips__catalog_arch(i, &row)) return false;
    *out = (tips_arch_info){row.name, row.brief};
    return true;
}

static bool option_at(const char *name, int i, tips_option *out) {
    const tips_pool *pool = name ? tips__pool_find(name) : NULL;
    tips_option_walk walk = tips__options_walk(pool ? pool->layer.options : NULL);
    if (i < 0) return false;
    for (; tips__options_next(&walk); i--) {
        if (i > 0) continue;
        *out = walk.row;
        return true;
    }
    return false;
}

bool tips_catalog_option(const char *pool, int i, tips_option_info *out) {
    tips_option row;
    if (!out || !option_at(pool, i, &row)) return false;
    *out = (tips_option_info){.name = row.name, .help = row.help, .fallback = row.fallback ? row.fallback : ""};
    tips__option_range(&row, out->range, sizeof out->range);
    return true;
}
