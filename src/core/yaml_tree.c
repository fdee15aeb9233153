/* Documents through libyaml's events. */
#include "core/yaml_tree.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/regular_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void tips__yaml_tree_free(tips_yaml_node *node) {
    while (node) {
        tips_yaml_node *next = node->next;
        tips__yaml_tree_free(node->first);
        tips__free(node->key);
        tips__free(node->text);
        tips__free(node);
        node = next;
    }
}

const tips_yaml_node *tips__yaml_get(const tips_yaml_node *map, const char *key) {
    if (!map || map->kind != TIPS_YAML_MAP) return NULL;
    for (const tips_yaml_node *at = map->first; at; at = at->next)
        if (strcmp(at->key, key) == 0) return at;
    return NULL;
}

#ifdef TIPS_HAVE_YAML
#include <yaml.h>

enum { DEEPEST = 16 };

typedef struct reading {
    const char *path;
    yaml_parser_t parser;
    int depth;
} reading;

static tips_status out_of_memory(const reading *r) {
    TIPS_FAIL(TIPS_MEMORY, "out of memory while reading %s", r->path);
}

static int line_of(const yaml_event_t *event) { return (int)event->start_mark.line + 1; }

static tips_status next(reading *r, yaml_event_t *event) {
    if (yaml_parser_parse(&r->parser, event)) return TIPS_OK;
    if (r->parser.error == YAML_MEMORY_ERROR) return out_of_memory(r);
    TIPS_FAIL(TIPS_FORMAT, "%s:%d: %s", r->path, (int)r->parser.problem_mark.line + 1,
              r->parser.problem ? r->parser.problem : "not YAML");
}

/* Reads on to an event of `type`; `what` tells what should have been there. */
static tips_status expect(reading *r, yaml_event_type_t type, const char *what) {
    yaml_event_t event;
    TIPS_TRY(next(r, &event));
    const bool fits = event.type == type;
    const int line = line_of(&event);
    yaml_event_delete(&event);
    if (!fits) TIPS_FAIL(TIPS_FORMAT, "%s:%d: %s", r->path, line, what);
    return TIPS_OK;
}

static tips_status read_inner(reading *r, tips_yaml_node *node);

static tips_status take_text(const reading *r, const yaml_event_t *event, char **out) {
    const char *text = (const char *)event->data.scalar.value;
    if (strlen(text) != event->data.scalar.length)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: a value holds a NUL", r->path, line_of(event));
    *out = tips__strdup(text);
    return *out ? TIPS_OK : out_of_memory(r);
}

/* What begins with `event`, into a node that has its line. */
static tips_status read_value(reading *r, const yaml_event_t *event, tips_yaml_node *node) {
    if (event->type == YAML_SCALAR_EVENT) return take_text(r, event, &node->text);
    if (event->type != YAML_SEQUENCE_START_EVENT && event->type != YAML_MAPPING_START_EVENT)
        TIPS_FAIL(TIPS_FORMAT, "%s:%d: a reference; write the value itself", r->path, line_of(event));
    if (++r->depth > DEEPEST) TIPS_FAIL(TIPS_FORMAT, "%s:%d: nested too deeply", r->path, line_of(event));
    node->kind = event->type == YAML_MAPPING_START_EVENT ? TIPS_YAML_MAP : TIPS_YAML_LIST;
    const tips_status status = read_inner(r, node);
    r->depth--;
    return status;
}

static tips_status refuse_twice(const reading *r, const tips_yaml_node *map, const tips_yaml_node *node) {
    for (const tips_yaml_node *at = map->first; at && at != node; at = at->next)
        if (at->key && strcmp(at->key, node->key) == 0)
            TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' is given twice, first in line %d", r->path, node->line, node->key,
                      at->line);
    return TIPS_OK;
}

static tips_status read_key(reading *r, const tips_yaml_node *map, const yaml_event_t *key, tips_yaml_node *node) {
    yaml_event_t event;
    if (key->type != YAML_SCALAR_EVENT) TIPS_FAIL(TIPS_FORMAT, "%s:%d: a key is no text", r->path, line_of(key));
    TIPS_TRY(take_text(r, key, &node->key));
    TIPS_TRY(refuse_twice(r, map, node));
    TIPS_TRY(next(r, &event));
    const tips_status status = read_value(r, &event, node);
    yaml_event_delete(&event);
    return status;
}

/* What a list or a mapping holds, up to its end. Nodes are in their place before they are filled: nothing leaks. */
static tips_status read_inner(reading *r, tips_yaml_node *node) {
    const bool is_map = node->kind == TIPS_YAML_MAP;
    tips_yaml_node **place = &node->first;
    for (;;) {
        yaml_event_t event;
        TIPS_TRY(next(r, &event));
        const bool ends = event.type == (is_map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT);
        tips_status status = ends ? TIPS_OK : tips__new_zero(place, sizeof **place, "a file of YAML");
        if (status == TIPS_OK && !ends) {
            (*place)->line = line_of(&event);
            status = is_map ? read_key(r, node, &event, *place) : read_value(r, &event, *place);
        }
        yaml_event_delete(&event);
        if (ends || status != TIPS_OK) return status;
        place = &(*place)->next;
        node->count++;
    }
}

static tips_status read_root(reading *r, tips_yaml_node *root) {
    yaml_event_t event;
    TIPS_TRY(next(r, &event));
    root->line = line_of(&event);
    const tips_status status = read_value(r, &event, root);
    yaml_event_delete(&event);
    return status;
}

static tips_status parse(reading *r, FILE *file, tips_yaml_node *root) {
    if (!yaml_parser_initialize(&r->parser)) return out_of_memory(r);
    yaml_parser_set_input_file(&r->parser, file);
    tips_status status = expect(r, YAML_STREAM_START_EVENT, "not YAML");
    if (status == TIPS_OK) status = expect(r, YAML_DOCUMENT_START_EVENT, "the recipe is empty");
    if (status == TIPS_OK) status = read_root(r, root);
    if (status == TIPS_OK) status = expect(r, YAML_DOCUMENT_END_EVENT, "not the end of the recipe");
    if (status == TIPS_OK) status = expect(r, YAML_STREAM_END_EVENT, "a recipe is one document");
    yaml_parser_delete(&r->parser);
    return status;
}

tips_status tips__yaml_tree_read(const char *path, tips_yaml_node **out) {
    reading r = {.path = path};
    tips_yaml_node *root;
    TIPS_TRY(tips__check_regular(path));
    TIPS_TRY(tips__new_zero(&root, sizeof *root, "a file of YAML"));
    FILE *file = fopen(path, "rb");
    const tips_status status =
        file ? parse(&r, file, root) : tips__fail(TIPS_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (file) fclose(file);
    if (status != TIPS_OK) tips__yaml_tree_free(root);
    else *out = root;
    return status;
}
#else
tips_status tips__yaml_tree_read(const char *path, tips_yaml_node **out) {
    (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: recipes need libyaml, which this build does not have", path);
}
#endif
