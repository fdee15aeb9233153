/* Nodes in lists of siblings, filled as the reader goes through the document. */
#include "core/json_tree.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/text_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 32 };

void tips__json_tree_free(tips_json_node *node) {
    while (node) {
        tips_json_node *next = node->next;
        tips__json_tree_free(node->first);
        tips__free(node->key);
        tips__free(node->text);
        tips__free(node);
        node = next;
    }
}

typedef struct growth {
    tips_json_node *top, *at; /* `at` is the object or array that is open */
    char *key;                /* of the value to come */
} growth;

static tips_status copy_text(const tips_json_event *e, char **out) {
    TIPS_TRY(tips__new(out, e->length + 1, "a JSON text"));
    memcpy(*out, e->text, e->length);
    (*out)[e->length] = '\0';
    return TIPS_OK;
}

static tips_status read_number(const tips_json_event *e, double *out) {
    char *text;
    TIPS_TRY(copy_text(e, &text));
    const bool fine = tips__number_parse(text, out);
    tips__free(text);
    if (!fine) TIPS_FAIL(TIPS_FORMAT, "a JSON number cannot be read");
    return TIPS_OK;
}

static tips_status add_node(growth *g, const tips_json_event *e, tips_json_node **out) {
    tips_json_node *node;
    TIPS_TRY(tips__new_zero(&node, sizeof *node, "a JSON value"));
    node->kind = e->kind;
    node->truth = e->truth;
    node->key = g->key;
    node->parent = g->at;
    g->key = NULL;
    if (!g->at) g->top = node;
    else if (g->at->last) g->at->last->next = node;
    else g->at->first = node;
    if (g->at) g->at->last = node, g->at->count++;
    *out = node;
    return TIPS_OK;
}

static tips_status visit(void *context, const tips_json_event *e) {
    growth *g = context;
    tips_json_node *node;
    if (e->kind == TIPS_JSON_KEY) return copy_text(e, &g->key);
    if (e->kind == TIPS_JSON_OBJECT_END || e->kind == TIPS_JSON_ARRAY_END) {
        g->at = g->at->parent;
        return TIPS_OK;
    }
    TIPS_TRY(add_node(g, e, &node));
    if (e->kind == TIPS_JSON_OBJECT || e->kind == TIPS_JSON_ARRAY) g->at = node;
    if (e->kind == TIPS_JSON_TEXT) return copy_text(e, &node->text);
    if (e->kind == TIPS_JSON_NUMBER) return read_number(e, &node->number);
    return TIPS_OK;
}

tips_status tips__json_tree_parse(const char *text, size_t length, tips_json_node **out) {
    growth g = {0};
    const tips_status status = tips__json_read(text, length, MOST_DEPTH, visit, &g);
    tips__free(g.key);
    if (status != TIPS_OK) tips__json_tree_free(g.top);
    else *out = g.top;
    return status;
}

tips_status tips__json_tree_load(const char *path, tips_json_node **out) {
    char *text;
    size_t length;
    TIPS_TRY(tips__text_file_read(path, &text, &length));
    const tips_status status = tips__json_tree_parse(text, length, out);
    tips__free(text);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}

static tips_status parse_lines(const char *path, const char *text, size_t length, tips_json_node *array) {
    const char *end = text + length;
    int line = 1;
    for (const char *stop; (stop = memchr(text, '\n', (size_t)(end - text))); text = stop + 1, line++) {
        tips_json_node *node;
        const tips_status status = tips__json_tree_parse(text, (size_t)(stop - text), &node);
        if (status != TIPS_OK) {
            char where[4128];
            snprintf(where, sizeof where, "%s:%d", path, line);
            return tips__fail_within(status, where);
        }
        node->parent = array;
        if (array->last) array->last->next = node;
        else array->first = node;
        array->last = node;
        array->count++;
    }
    return TIPS_OK;
}

tips_status tips__json_tree_load_lines(const char *path, tips_json_node **out) {
    char *text;
    size_t length;
    tips_json_node *array;
    TIPS_TRY(tips__text_file_read(path, &text, &length));
    tips_status status = tips__new_zero(&array, sizeof *array, "a JSON array");
    if (status == TIPS_OK) {
        array->kind = TIPS_JSON_ARRAY;
        status = parse_lines(path, text, length, array);
        if (status != TIPS_OK) tips__json_tree_free(array);
        else *out = array;
    }
    tips__free(text);
    return status;
}

const tips_json_node *tips__json_get(const tips_json_node *object, const char *key) {
    if (!object || object->kind != TIPS_JSON_OBJECT) return NULL;
    for (const tips_json_node *node = object->first; node; node = node->next)
        if (strcmp(node->key, key) == 0) return node;
    return NULL;
}

double tips__json_get_number(const tips_json_node *object, const char *key) {
    const tips_json_node *node = tips__json_get(object, key);
    return node && node->kind == TIPS_JSON_NUMBER ? node->number : NAN;
}

int tips__json_get_int(const tips_json_node *object, const char *key, int fallback) {
    const double value = tips__json_get_number(object, key);
    return value >= -2147483648.0 && value <= 2147483647.0 ? (int)value : fallback;
}

bool tips__json_get_bool(const tips_json_node *object, const char *key) {
    const tips_json_node *node = tips__json_get(object, key);
    return node && node->kind == TIPS_JSON_BOOL && node->truth;
}

const char *tips__json_get_text(const tips_json_node *object, const char *key, const char *fallback) {
    const tips_json_node *node = tips__json_get(object, key);
    return node && node->kind == TIPS_JSON_TEXT ? node->text : fallback;
}
