/* A YAML document in memory: values, lists and mappings, each with its line. Needs libyaml at build time. */
#ifndef TIPS_CORE_YAML_TREE_H
#define TIPS_CORE_YAML_TREE_H

#include <tips/status.h>

typedef enum tips_yaml_kind { TIPS_YAML_VALUE, TIPS_YAML_LIST, TIPS_YAML_MAP } tips_yaml_kind;

typedef struct tips_yaml_node tips_yaml_node;
struct tips_yaml_node {
    tips_yaml_kind kind;
    char *key;  /* within a mapping, else NULL */
    char *text; /* VALUE */
    int line;   /* of the key, or of what it is */
    int count;  /* of what is in it */
    tips_yaml_node *first, *next;
};

/* One document. Errors name the file and the line; a key that is there twice is one. Without libyaml it fails with
 * TIPS_UNSUPPORTED. */
tips_status tips__yaml_tree_read(const char *path, tips_yaml_node **out) TIPS_MUST_CHECK;
void tips__yaml_tree_free(tips_yaml_node *node);

/* What a mapping holds under a key; NULL if it is none (NULL is none) or holds nothing there. */
const tips_yaml_node *tips__yaml_get(const tips_yaml_node *map, const char *key);

#endif
