/* Reading a data.yaml as libyaml's tree: "train: images/train" or a list of such, "names: [a, b]" or "names: {0: a, 1:
 * b}". Other keys are passed over. */
#include "data/yolo_yaml.h"

#include "core/fail.h"
#include "core/memory.h"

void tips__yolo_yaml_clear(tips_yolo_yaml *yaml) {
    for (int s = 0; s < TIPS_SPLITS; s++) tips__names_clear(&yaml->places[s]);
    tips__names_clear(&yaml->names);
}

#ifdef TIPS_HAVE_YAML

#include "core/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { MOST_CLASSES = 100000 };

static const char *text_of(const yaml_node_t *node) {
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

static tips_status add_text(const yaml_node_t *node, tips_names *out) {
    const char *text = text_of(node);
    if (!text) TIPS_FAIL(TIPS_FORMAT, "line %d: a text is expected", node ? (int)node->start_mark.line + 1 : 0);
    const bool is_nothing = !*text || strcmp(text, "null") == 0 || strcmp(text, "~") == 0;
    return is_nothing ? TIPS_OK : tips__names_add(out, text);
}

static tips_status take_sequence(yaml_document_t *document, const yaml_node_t *node, tips_names *out) {
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
        TIPS_TRY(add_text(yaml_document_get_node(document, *item), out));
    return TIPS_OK;
}

static tips_status take_places(yaml_document_t *document, const yaml_node_t *node, tips_names *out) {
    return node->type == YAML_SEQUENCE_NODE ? take_sequence(document, node, out) : add_text(node, out);
}

/* The keys are 0, 1, 2..., in any order. */
static tips_status take_numbered(yaml_document_t *document, const yaml_node_t *node, tips_names *out) {
    const yaml_node_pair_t *first = node->data.mapping.pairs.start, *end = node->data.mapping.pairs.top;
    const ptrdiff_t count = end - first;
    if (count > MOST_CLASSES) TIPS_FAIL(TIPS_FORMAT, "%d classes are too many", (int)count);
    for (int k = 0; k < count; k++) {
        const yaml_node_t *found = NULL;
        for (ptrdiff_t i = 0; i < count && !found; i++) {
            const yaml_node_pair_t *pair = &first[(k + i) % count]; /* mostly in order */
            const char *key = text_of(yaml_document_get_node(document, pair->key));
            char *rest;
            if (key && *key && strtol(key, &rest, 10) == k && !*rest)
                found = yaml_document_get_node(document, pair->value);
        }
        if (!text_of(found))
            TIPS_FAIL(TIPS_FORMAT, "line %d: of %d names, that of class %d is missing", (int)node->start_mark.line + 1,
                      (int)count, k);
        TIPS_TRY(tips__names_add(out, text_of(found)));
    }
    return TIPS_OK;
}

static tips_status take_names(yaml_document_t *document, const yaml_node_t *node, tips_names *out) {
    if (node->type == YAML_SEQUENCE_NODE) return take_sequence(document, node, out);
    if (node->type == YAML_MAPPING_NODE) return take_numbered(document, node, out);
    TIPS_FAIL(TIPS_FORMAT, "line %d: the names of classes are a list, or have their numbers before them",
              (int)node->start_mark.line + 1);
}

static tips_status take_pair(yaml_document_t *document, const char *key, const yaml_node_t *value,
                             tips_yolo_yaml *out) {
    static const struct {
        const char *key;
        tips_split split;
    } splits[] = {
        {"train", TIPS_SPLIT_TRAIN}, {"val", TIPS_SPLIT_VAL}, {"valid", TIPS_SPLIT_VAL}, {"test", TIPS_SPLIT_TEST}};
    if (strcmp(key, "names") == 0) return take_names(document, value, &out->names);
    if (strcmp(key, "path") == 0 && text_of(value)) snprintf(out->path, sizeof out->path, "%s", text_of(value));
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++)
        if (strcmp(key, splits[i].key) == 0) return take_places(document, value, &out->places[splits[i].split]);
    return TIPS_OK;
}

static tips_status take_document(yaml_document_t *document, tips_yolo_yaml *out) {
    const yaml_node_t *root = yaml_document_get_root_node(document);
    if (!root || root->type != YAML_MAPPING_NODE) TIPS_FAIL(TIPS_FORMAT, "is not 'key: value' in its lines");
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        const char *key = text_of(yaml_document_get_node(document, pair->key));
        const yaml_node_t *value = yaml_document_get_node(document, pair->value);
        if (key && value) TIPS_TRY(take_pair(document, key, value, out));
    }
    return TIPS_OK;
}

static tips_status parse(FILE *file, tips_yolo_yaml *out) {
    yaml_parser_t parser;
    yaml_document_t document;
    if (!yaml_parser_initialize(&parser)) TIPS_FAIL(TIPS_MEMORY, "out of memory for a YAML parser");
    yaml_parser_set_input_file(&parser, file);
    tips_status status;
    if (yaml_parser_load(&parser, &document)) {
        status = take_document(&document, out);
        yaml_document_delete(&document);
    } else {
        status =
            tips__fail(parser.error == YAML_MEMORY_ERROR ? TIPS_MEMORY : TIPS_FORMAT, "line %d: is not valid YAML: %s",
                       (int)parser.problem_mark.line + 1, parser.problem ? parser.problem : "");
    }
    yaml_parser_delete(&parser);
    return status;
}

tips_status tips__yolo_yaml_read(const char *path, tips_yolo_yaml *out) {
    *out = (tips_yolo_yaml){.path = ""};
    TIPS_TRY(tips__check_regular(path));
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    const tips_status status = parse(file, out);
    fclose(file);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}

#else

tips_status tips__yolo_yaml_read(const char *path, tips_yolo_yaml *out) {
    *out = (tips_yolo_yaml){.path = ""};
    TIPS_FAIL(TIPS_UNSUPPORTED,
              "%s: this build reads no YAML (it lacks libyaml); images/, labels/ and a classes.txt do "
              "without",
              path);
}

#endif
