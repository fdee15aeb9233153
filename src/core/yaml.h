/* Recipe files: a flat YAML mapping, "key: value", whose keys are the names of option rows. */
#ifndef TIPS_CORE_YAML_H
#define TIPS_CORE_YAML_H

#include "core/option.h"
#include "core/yaml_tree.h"

typedef struct tips_yaml tips_yaml;

/* Errors name the file and the line; without libyaml it fails with TIPS_UNSUPPORTED. */
tips_status tips__yaml_read(const char *path, tips_yaml **out) TIPS_MUST_CHECK;
void tips__yaml_destroy(tips_yaml *yaml);

/* What stands under a key; NULL if nothing does, or there is no recipe (NULL). */
const char *tips__yaml_value(const tips_yaml *yaml, const char *key);

/* Sets a row for every key; an unknown key suggests the nearest. Text fields borrow from `yaml`. */
tips_status tips__yaml_apply(const tips_yaml *yaml, const tips_option *table, void *config) TIPS_MUST_CHECK;
/* The same for one pair of a file; text fields borrow from it. */
tips_status tips__yaml_set(const char *path, const tips_yaml_node *pair, const tips_option *table,
                           void *config) TIPS_MUST_CHECK;

#endif
