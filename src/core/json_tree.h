/* A JSON document in memory, for small files that are read out of order. */
#ifndef TIPS_CORE_JSON_TREE_H
#define TIPS_CORE_JSON_TREE_H

#include "core/json_read.h"

typedef struct tips_json_node tips_json_node;
struct tips_json_node {
    tips_json_kind kind; /* OBJECT, ARRAY, TEXT, NUMBER, BOOL or NULL */
    char *key;           /* within an object, else NULL */
    char *text;          /* TEXT */
    double number;       /* NUMBER */
    bool truth;          /* BOOL */
    int count;           /* of what is in it */
    tips_json_node *first, *last, *next, *parent;
};

/* One document; freed by the caller. */
tips_status tips__json_tree_parse(const char *text, size_t length, tips_json_node **out) TIPS_MUST_CHECK;
/* The document in a file; failures name it. */
tips_status tips__json_tree_load(const char *path, tips_json_node **out) TIPS_MUST_CHECK;
/* The documents in the lines of a file, as an array. A last line without its end is left out: it is being written. */
tips_status tips__json_tree_load_lines(const char *path, tips_json_node **out) TIPS_MUST_CHECK;
void tips__json_tree_free(tips_json_node *node);

/* What an object holds under a key; NULL if it is no object (NULL is none) or holds nothing there. */
const tips_json_node *tips__json_get(const tips_json_node *object, const char *key);
/* Not a number where there is none. */
double tips__json_get_number(const tips_json_node *object, const char *key);
int tips__json_get_int(const tips_json_node *object, const char *key, int fallback);
bool tips__json_get_bool(const tips_json_node *object, const char *key);
/* The text, or the fallback; lives as long as the tree. */
const char *tips__json_get_text(const tips_json_node *object, const char *key, const char *fallback);

#endif
