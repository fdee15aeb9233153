/* Flat recipes through libyaml's events: one document, one mapping, scalars only. */
#include "core/yaml.h"

#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <string.h>

typedef struct yaml_pair {
    char *key, *value;
    int line;
} yaml_pair;

struct tips_yaml {
    char *path;
    yaml_pair *pairs;
    int count;
};

void tips__yaml_destroy(tips_yaml *yaml) {
    if (!yaml) return;
    for (int i = 0; i < yaml->count; i++) {
        tips__free(yaml->pairs[i].key);
        tips__free(yaml->pairs[i].value);
    }
    tips__free(yaml->pairs);
    tips__free(yaml->path);
    tips__free(yaml);
}

int tips__yaml_count(const tips_yaml *yaml) { return yaml->count; }
const char *tips__yaml_key(const tips_yaml *yaml, int i) { return yaml->pairs[i].key; }
const char *tips__yaml_value(const tips_yaml *yaml, int i) { return yaml->pairs[i].value; }

static tips_status unknown_key(const tips_yaml *yaml, const yaml_pair *pair, const tips_option *table) {
    const char *nearest = tips__option_nearest(table, pair->key);
    if (!nearest) TIPS_FAIL(TIPS_UNKNOWN, "%s:%d: unknown key '%s'", yaml->path, pair->line, pair->key);
    TIPS_FAIL(TIPS_UNKNOWN, "%s:%d: unknown key '%s'; did you mean '%s'?", yaml->path, pair->line, pair->key, nearest);
}

tips_status tips__yaml_apply(const tips_yaml *yaml, const tips_option *table, void *config) {
    for (int i = 0; i < yaml->count; i++) {
        const yaml_pair *pair = &yaml->pairs[i];
        tips_option row;
        char where[512];
        if (!tips__option_find(table, pair->key, &row)) return unknown_key(yaml, pair, table);
        snprintf(where, sizeof where, "%s:%d: %s", yaml->path, pair->line, pair->key);
        TIPS_TRY(tips__option_set(&row, config, pair->value, where));
    }
    return TIPS_OK;
}

#ifdef TIPS_HAVE_YAML
#include <yaml.h>

static tips_status out_of_memory(const tips_yaml *yaml) {
    TIPS_FAIL(TIPS_MEMORY, "out of memory while reading %s", yaml->path);
}

static int line_of(const yaml_event_t *event) { return (int)event->start_mark.line + 1; }

static tips_status next(const tips_yaml *yaml, yaml_parser_t *parser, yaml_event_t *event) {
    if (yaml_parser_parse(parser, event)) return TIPS_OK;
    if (parser->error == YAML_MEMORY_ERROR) return out_of_memory(yaml);
    TIPS_FAIL(TIPS_FORMAT, "%s:%d: %s", yaml->path, (int)parser->problem_mark.line + 1,
              parser->problem ? parser->problem : "not YAML");
}

/* Reads on to an event of `type`; `what` tells what should have been there. */
static tips_status expect(const tips_yaml *yaml, yaml_parser_t *parser, yaml_event_type_t type, const char *what) {
    yaml_event_t event;
    TIPS_TRY(next(yaml, parser, &event));
    const bool fits = event.type == type;
    const int line = line_of(&event);
    yaml_event_delete(&event);
    if (!fits) TIPS_FAIL(TIPS_FORMAT, "%s:%d: %s", yaml->path, line, what);
    return TIPS_OK;
}

/* A copy of the next scalar; NULL in `*out` at the end of the mapping. */
static tips_status take_scalar(const tips_yaml *yaml, yaml_parser_t *parser, char **out, int *line) {
    yaml_event_t event;
    tips_status status = TIPS_OK;
    *out = NULL;
    TIPS_TRY(next(yaml, parser, &event));
    *line = line_of(&event);
    if (event.type == YAML_SCALAR_EVENT) {
        const char *text = (const char *)event.data.scalar.value;
        if (strlen(text) != event.data.scalar.length)
            status = tips__fail(TIPS_FORMAT, "%s:%d: a value holds a NUL", yaml->path, *line);
        else if (!(*out = tips__strdup(text))) status = out_of_memory(yaml);
    } else if (event.type != YAML_MAPPING_END_EVENT) {
        status = tips__fail(TIPS_FORMAT, "%s:%d: a recipe holds single values only, no lists and no nesting",
                            yaml->path, *line);
    }
    yaml_event_delete(&event);
    return status;
}

static tips_status check_new(const tips_yaml *yaml, const yaml_pair *pair) {
    for (int i = 0; i < yaml->count; i++)
        if (strcmp(yaml->pairs[i].key, pair->key) == 0)
            TIPS_FAIL(TIPS_FORMAT, "%s:%d: '%s' is given twice, first in line %d", yaml->path, pair->line, pair->key,
                      yaml->pairs[i].line);
    return TIPS_OK;
}

static tips_status keep(tips_yaml *yaml, const yaml_pair *pair) {
    TIPS_TRY(check_new(yaml, pair));
    yaml_pair *longer =
        tips__grow(yaml->pairs, (size_t)yaml->count * sizeof *longer, ((size_t)yaml->count + 1) * sizeof *longer);
    if (!longer) return out_of_memory(yaml);
    yaml->pairs = longer;
    yaml->pairs[yaml->count++] = *pair;
    return TIPS_OK;
}

static tips_status read_pairs(tips_yaml *yaml, yaml_parser_t *parser) {
    for (;;) {
        yaml_pair pair = {0};
        int line;
        TIPS_TRY(take_scalar(yaml, parser, &pair.key, &pair.line));
        if (!pair.key) return TIPS_OK;
        tips_status status = take_scalar(yaml, parser, &pair.value, &line);
        if (status == TIPS_OK) status = keep(yaml, &pair);
        if (status == TIPS_OK) continue;
        tips__free(pair.key);
        tips__free(pair.value);
        return status;
    }
}

static tips_status parse(tips_yaml *yaml, FILE *file) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return out_of_memory(yaml);
    yaml_parser_set_input_file(&parser, file);
    tips_status status = expect(yaml, &parser, YAML_STREAM_START_EVENT, "not YAML");
    if (status == TIPS_OK) status = expect(yaml, &parser, YAML_DOCUMENT_START_EVENT, "the recipe is empty");
    if (status == TIPS_OK)
        status = expect(yaml, &parser, YAML_MAPPING_START_EVENT, "a recipe consists of lines 'key: value'");
    if (status == TIPS_OK) status = read_pairs(yaml, &parser);
    if (status == TIPS_OK) status = expect(yaml, &parser, YAML_DOCUMENT_END_EVENT, "not the end of the recipe");
    if (status == TIPS_OK) status = expect(yaml, &parser, YAML_STREAM_END_EVENT, "a recipe is one document");
    yaml_parser_delete(&parser);
    return status;
}

static tips_status open_and_parse(tips_yaml *yaml) {
    FILE *file = fopen(yaml->path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: cannot be read: %s", yaml->path, strerror(errno));
    const tips_status status = parse(yaml, file);
    fclose(file);
    return status;
}

tips_status tips__yaml_read(const char *path, tips_yaml **out) {
    tips_yaml *yaml;
    TIPS_TRY(tips__new_zero(&yaml, sizeof *yaml, "a recipe"));
    yaml->path = tips__strdup(path);
    const tips_status status =
        yaml->path ? open_and_parse(yaml) : tips__fail(TIPS_MEMORY, "out of memory while reading %s", path);
    if (status != TIPS_OK) tips__yaml_destroy(yaml);
    else *out = yaml;
    return status;
}
#else
tips_status tips__yaml_read(const char *path, tips_yaml **out) {
    (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: recipes need libyaml, which this build does not have", path);
}
#endif
