/* The names of classes as a JSON array of texts, and other JSON in metadata. */
#include "model/model_parts.h"

#include "core/fail.h"
#include "core/json.h"
#include "core/json_read.h"
#include "core/memory.h"

#include <string.h>

enum { MOST_DEPTH = 16 };

void tips__class_names_free(char **names, int count) {
    for (int i = 0; names && i < count; i++) tips__free(names[i]);
    tips__free(names);
}

tips_status tips__class_names_format(char *const *names, int count, char **out) {
    tips_json *json;
    const char *text;
    size_t length;
    TIPS_TRY(tips__json_create(&json));
    tips__json_compact(json);
    tips__json_open_array(json, NULL);
    for (int i = 0; i < count; i++) tips__json_text(json, NULL, names[i]);
    tips__json_close_array(json);
    tips_status status = tips__json_result(json, &text, &length);
    if (status == TIPS_OK) status = tips__new(out, length + 1, "the names of classes");
    if (status == TIPS_OK) memcpy(*out, text, length + 1);
    tips__json_destroy(json);
    return status;
}

typedef struct name_reader {
    char **names;
    int count, most;
} name_reader;

static tips_status add_name(name_reader *r, const char *text, size_t length) {
    if (r->count == r->most) TIPS_FAIL(TIPS_FORMAT, "tips.class_names has more than %d names", r->most);
    char *name;
    TIPS_TRY(tips__new(&name, length + 1, "the name of a class"));
    memcpy(name, text, length);
    name[length] = '\0';
    r->names[r->count++] = name;
    return TIPS_OK;
}

static tips_status visit_name(void *context, const tips_json_event *e) {
    const bool is_array = e->kind == TIPS_JSON_ARRAY || e->kind == TIPS_JSON_ARRAY_END;
    if (e->depth == 0 && is_array) return TIPS_OK;
    if (e->depth == 1 && e->kind == TIPS_JSON_TEXT) return add_name(context, e->text, e->length);
    TIPS_FAIL(TIPS_FORMAT, "tips.class_names is not an array of texts");
}

tips_status tips__class_names_parse(const char *text, int count, char ***out) {
    name_reader r = {.most = count};
    TIPS_TRY(tips__new_zero(&r.names, (size_t)count * sizeof *r.names, "the names of classes"));
    tips_status status = tips__json_read(text, strlen(text), 1, visit_name, &r);
    if (status == TIPS_OK && r.count != count)
        status = tips__fail(TIPS_FORMAT, "tips.class_names has %d names for %d classes", r.count, count);
    if (status == TIPS_OK) *out = r.names;
    else tips__class_names_free(r.names, count);
    return status;
}

tips_status tips__model_info_set_classes(tips_model_info *info, const char *const *names, int count) {
    name_reader r = {.most = count};
    TIPS_TRY(tips__new_zero(&r.names, (size_t)(count ? count : 1) * sizeof *r.names, "the names of classes"));
    tips_status status = TIPS_OK;
    for (int i = 0; i < count && status == TIPS_OK; i++) status = add_name(&r, names[i], strlen(names[i]));
    if (status == TIPS_OK) {
        tips__class_names_free(info->class_names, info->config.classes);
        info->class_names = r.names;
    } else {
        tips__class_names_free(r.names, count);
    }
    return status;
}

static tips_status visit_object(void *context, const tips_json_event *e) {
    (void)context;
    const bool is_object = e->kind == TIPS_JSON_OBJECT || e->kind == TIPS_JSON_OBJECT_END;
    if (e->depth == 0 && !is_object) TIPS_FAIL(TIPS_FORMAT, "the training summary is not a JSON object");
    return TIPS_OK;
}

tips_status tips__check_json_object(const char *text) {
    return tips__json_read(text, strlen(text), MOST_DEPTH, visit_object, NULL);
}
