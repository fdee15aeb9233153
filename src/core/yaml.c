/* Flat recipes: one mapping of single values. */
#include "core/yaml.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

struct tips_yaml {
    char *path;
    tips_yaml_node *root;
};

void tips__yaml_destroy(tips_yaml *yaml) {
    if (!yaml) return;
    tips__yaml_tree_free(yaml->root);
    tips__free(yaml->path);
    tips__free(yaml);
}

const char *tips__yaml_value(const tips_yaml *yaml, const char *key) {
    const tips_yaml_node *node = yaml ? tips__yaml_get(yaml->root, key) : NULL;
    return node ? node->text : NULL;
}

static tips_status unknown_key(const char *path, const tips_yaml_node *pair, const tips_option *table) {
    const char *nearest = tips__option_nearest(table, pair->key);
    if (!nearest) TIPS_FAIL(TIPS_UNKNOWN, "%s:%d: unknown key '%s'", path, pair->line, pair->key);
    TIPS_FAIL(TIPS_UNKNOWN, "%s:%d: unknown key '%s'; did you mean '%s'?", path, pair->line, pair->key, nearest);
}

tips_status tips__yaml_set(const char *path, const tips_yaml_node *pair, const tips_option *table, void *config) {
    tips_option row;
    char where[512];
    if (!tips__option_find(table, pair->key, &row)) return unknown_key(path, pair, table);
    snprintf(where, sizeof where, "%s:%d: %s", path, pair->line, pair->key);
    return tips__option_set(&row, config, pair->text, where);
}

tips_status tips__yaml_apply(const tips_yaml *yaml, const tips_option *table, void *config) {
    for (const tips_yaml_node *at = yaml->root->first; at; at = at->next)
        TIPS_TRY(tips__yaml_set(yaml->path, at, table, config));
    return TIPS_OK;
}

static tips_status read_flat(tips_yaml *yaml) {
    TIPS_TRY(tips__yaml_tree_read(yaml->path, &yaml->root));
    if (yaml->root->kind != TIPS_YAML_MAP)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: a recipe consists of lines 'key: value'", yaml->path, yaml->root->line);
    for (const tips_yaml_node *at = yaml->root->first; at; at = at->next)
        if (at->kind != TIPS_YAML_VALUE)
            TIPS_FAIL(
                TIPS_FORMAT,
                "%s:%d: a recipe of one run holds single values only, no lists and no nesting; 'tips study' reads "
                "others",
                yaml->path, at->line);
    return TIPS_OK;
}

tips_status tips__yaml_read(const char *path, tips_yaml **out) {
    tips_yaml *yaml;
    TIPS_TRY(tips__new_zero(&yaml, sizeof *yaml, "a recipe"));
    yaml->path = tips__strdup(path);
    const tips_status status =
        yaml->path ? read_flat(yaml) : tips__fail(TIPS_MEMORY, "out of memory while reading %s", path);
    if (status != TIPS_OK) tips__yaml_destroy(yaml);
    else *out = yaml;
    return status;
}
