/* The table of pooling operators: finding one, reading and writing "name:key=value,...". */
#include "core/fail.h"
#include "core/nearest.h"
#include "pool/pool_custom.h"

#include <string.h>

#define TIPS_POOL(name) extern const tips_pool tips__pool_##name;
#include "pool/pools.def"
#undef TIPS_POOL

const tips_pool *const tips__pools[] = {
#define TIPS_POOL(name) &tips__pool_##name,
#include "pool/pools.def"
#undef TIPS_POOL
    NULL};

enum { NAME_SIZE = 64, LIST_SIZE = 512 };

static char same_dash(char c) { return c == '_' ? '-' : c; }

static bool same_name(const char *a, const char *b) {
    while (*a && same_dash(*a) == same_dash(*b)) a++, b++;
    return same_dash(*a) == same_dash(*b);
}

const tips_pool *tips__pool_find(const char *name) {
    for (const tips_pool *const *pool = tips__pools; *pool; pool++)
        if (same_name((*pool)->layer.name, name)) return *pool;
    return NULL;
}

static void list_names(char *out, size_t size) {
    size_t length = 0;
    for (const tips_pool *const *pool = tips__pools; *pool && length < size; pool++) {
        const char *comma = length ? ", " : "";
        length += (size_t)snprintf(out + length, size - length, "%s%s", comma, (*pool)->layer.name);
    }
}

static tips_status refuse_name(const char *name) {
    char names[LIST_SIZE];
    list_names(names, sizeof names);
    tips__nearest_search search = {.word = name};
    for (const tips_pool *const *pool = tips__pools; *pool; pool++) tips__nearest_offer(&search, (*pool)->layer.name);
    if (!search.best) TIPS_FAIL(TIPS_UNKNOWN, "unknown pooling operator '%s'; there are %s", name, names);
    TIPS_FAIL(TIPS_UNKNOWN, "unknown pooling operator '%s'; did you mean '%s'? There are %s", name, search.best, names);
}

tips_status tips__pool_parse(const char *text, int lpf, tips_pool_spec *out) {
    char name[NAME_SIZE];
    const size_t length = strcspn(text, ":");
    if (length >= sizeof name) TIPS_FAIL(TIPS_UNKNOWN, "unknown pooling operator '%.40s...'", text);
    memcpy(name, text, length);
    name[length] = '\0';
    tips_pool_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.pool = tips__pool_find(name);
    if (!spec.pool) return refuse_name(name);
    if (lpf != 0 && (lpf < 2 || lpf > 7))
        TIPS_FAIL(TIPS_RANGE, "the low-pass filter has size 2..7, or 0 for none, not %d", lpf);
    spec.lpf = lpf;
    TIPS_TRY(tips__options_defaults(spec.pool->layer.options, &spec.config));
    if (text[length] == ':')
        TIPS_TRY(tips__options_parse(spec.pool->layer.options, &spec.config, text + length + 1, spec.pool->layer.name));
    *out = spec;
    return TIPS_OK;
}

void tips__pool_format(const tips_pool_spec *spec, char *out, size_t size) {
    const tips_custom_pool *custom = tips__pool_custom_of(spec);
    char options[LIST_SIZE];
    tips__options_format(spec->pool->layer.options, &spec->config, options, sizeof options);
    snprintf(out, size, "%s%s%s", custom ? custom->name : spec->pool->layer.name, options[0] ? ":" : "", options);
}

unsigned tips__pool_traits(const tips_pool_spec *spec) { return spec->pool->traits(&spec->config); }
