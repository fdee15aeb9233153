/* The table of pooling operators: finding one, reading and writing "name:key=value,...". */
#include "core/fail.h"
#include "core/named.h"
#include "pool/pool_custom.h"

#include <string.h>

#define TIPS_POOL(name) extern const tips_pool tips__pool_##name;
#include "pool/pools.def"
#undef TIPS_POOL

const tips_pool *const TIPS_ROW(tips__pools)[] = {
#define TIPS_POOL(name) &tips__pool_##name,
#include "pool/pools.def"
#undef TIPS_POOL
    NULL};

static tips_named named_row(int i) {
    return tips__pools[i] ? (tips_named){tips__pools[i]->layer.name, tips__pools[i]->layer.options} : (tips_named){0};
}

static const tips_name_table table = {.what = "pooling operator", .row = named_row};

const tips_pool *tips__pool_find(const char *name) {
    for (const tips_pool *const *pool = tips__pools; *pool; pool++)
        if (tips__same_name((*pool)->layer.name, name)) return *pool;
    return NULL;
}

typedef tips_status reading(const tips_name_table *table, int row, const char *text, void *config);

static tips_status parse(reading *read, const char *text, int lpf, tips_pool_spec *out) {
    tips_pool_spec spec;
    int row;
    memset(&spec, 0, sizeof spec);
    TIPS_TRY(tips__named_find(&table, text, &row));
    if (lpf != 0 && (lpf < 2 || lpf > 7))
        TIPS_FAIL(TIPS_RANGE, "the low-pass filter has size 2..7, or 0 for none, not %d", lpf);
    spec.pool = tips__pools[row];
    spec.lpf = lpf;
    TIPS_TRY(read(&table, row, text, &spec.config));
    *out = spec;
    return TIPS_OK;
}

tips_status tips__pool_parse(const char *text, int lpf, tips_pool_spec *out) {
    return parse(tips__named_read, text, lpf, out);
}

tips_status tips__pool_parse_stored(const char *text, int lpf, tips_pool_spec *out) {
    return parse(tips__named_read_stored, text, lpf, out);
}

static tips_named named(const tips_pool_spec *spec) {
    const tips_custom_pool *custom = tips__pool_custom_of(spec);
    return (tips_named){custom ? custom->name : spec->pool->layer.name, spec->pool->layer.options};
}

void tips__pool_format(const tips_pool_spec *spec, char *out, size_t size) {
    tips__named_format(named(spec), &spec->config, out, size);
}

void tips__pool_format_all(const tips_pool_spec *spec, char *out, size_t size) {
    tips__named_format_all(named(spec), &spec->config, out, size);
}

unsigned tips__pool_traits(const tips_pool_spec *spec) { return spec->pool->traits(&spec->config); }
