/* tips info as JSON. */
#include "info_print.h"

#include "core/json.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 1024 };

/* Copies the training summary, event by event. A text of it is shorter than the whole. */
typedef struct copier {
    tips_json *json;
    char key[TEXT_SIZE];
    bool has_key;
} copier;

enum { TASK_SIZE = 256 };

static void copy_text(char out[TEXT_SIZE], const tips_json_event *e) {
    const size_t length = e->length < TEXT_SIZE ? e->length : TEXT_SIZE - 1;
    memcpy(out, e->text, length);
    out[length] = '\0';
}

static tips_status copy_event(void *context, const tips_json_event *e) {
    copier *c = context;
    char text[TEXT_SIZE] = "";
    const char *key = e->depth == 0 ? "training" : c->has_key ? c->key : NULL;
    if (e->kind == TIPS_JSON_TEXT || e->kind == TIPS_JSON_NUMBER) copy_text(text, e);
    c->has_key = e->kind == TIPS_JSON_KEY;
    switch (e->kind) {
    case TIPS_JSON_OBJECT: tips__json_open_object(c->json, key); break;
    case TIPS_JSON_OBJECT_END: tips__json_close_object(c->json); break;
    case TIPS_JSON_ARRAY: tips__json_open_array(c->json, key); break;
    case TIPS_JSON_ARRAY_END: tips__json_close_array(c->json); break;
    case TIPS_JSON_KEY: copy_text(c->key, e); break;
    case TIPS_JSON_TEXT: tips__json_text(c->json, key, text); break;
    case TIPS_JSON_NUMBER: tips__json_number(c->json, key, strtod(text, NULL)); break;
    case TIPS_JSON_BOOL: tips__json_bool(c->json, key, e->truth); break;
    case TIPS_JSON_NULL: tips__json_text(c->json, key, NULL); break;
    }
    return TIPS_OK;
}

static tips_status put_training(tips_json *json, const tips_model_report *r) {
    copier c = {.json = json};
    if (r->info.training[0]) return tips__model_report_training(r, copy_event, &c);
    tips__json_text(json, "training", NULL);
    return TIPS_OK;
}

static void put_floats(tips_json *json, const char *key, const float values[3]) {
    tips__json_open_array(json, key);
    for (int i = 0; i < 3; i++) tips__json_number(json, NULL, values[i]);
    tips__json_close_array(json);
}

static void put_input(tips_json *json, const tips_model_info *info) {
    const tips_input_facts facts = tips__model_input(info);
    tips__input_put(json, "input", &facts);
}

static void put_class_names(tips_json *json, const tips_model_info *info) {
    if (!info->class_names) {
        tips__json_text(json, "class_names", NULL);
        return;
    }
    tips__json_open_array(json, "class_names");
    for (int i = 0; i < info->config.classes; i++) tips__json_text(json, NULL, info->class_names[i]);
    tips__json_close_array(json);
}

static void put_placement(tips_json *json, const tips_placement *placement) {
    for (tips_option_walk walk = tips__options_walk(tips__placement_rows); tips__options_next(&walk);) {
        char value[32];
        tips__option_format(&walk.row, placement, value, sizeof value);
        tips__json_text(json, walk.row.name, value);
    }
}

static void put_task(tips_json *json, const tips_task_spec *task) {
    char text[TASK_SIZE];
    if (tips__task_is_default(task)) return;
    tips__task_format(task, text, sizeof text);
    tips__json_text(json, "task", text);
}

static void put_others(tips_json *json, const tips_arch_config *c) {
    char text[TASK_SIZE];
    if (c->others == 0) return;
    tips__pool_format(&c->other, text, sizeof text);
    tips__json_int(json, "others", c->others);
    tips__json_text(json, "other_pool", text);
}

static void put_network(tips_json *json, const tips_model_report *r) {
    const tips_arch_config *c = &r->info.config;
    tips__json_text(json, "version", r->info.version);
    tips__json_text(json, "stored", r->info.stored ? r->info.stored : "float32");
    tips__json_text(json, "computed", "float32");
    put_task(json, &r->info.task);
    tips__json_text(json, "arch", r->info.arch->name);
    tips__json_text(json, "pool", r->pool);
    tips__json_int(json, "lpf", c->pool.lpf);
    put_others(json, c);
    tips__norm_put(json, &c->norm);
    tips__json_text(json, "padding", tips_pad_mode_names[c->padding]);
    if (c->backbone) tips__json_text(json, "backbone", c->backbone->name);
    tips__json_text(json, "stem", tips__stem_names[c->stem]);
    if (c->stem_kernel) tips__json_int(json, "stem_kernel", c->stem_kernel);
    tips__json_int(json, "down", c->down);
    tips__json_int(json, "first_width", c->width);
    tips__json_int(json, "channels", c->in_channels);
    tips__json_int(json, "height", c->size[0]);
    tips__json_int(json, "width", c->size[1]);
    tips__json_int(json, "resize", r->info.resize);
    tips__json_bool(json, "fit_inside", r->info.fit_inside);
    put_placement(json, &r->info.placement);
    tips__json_bool(json, "bgr", r->info.bgr);
    put_floats(json, "mean", r->info.mean);
    put_floats(json, "std", r->info.std);
    put_input(json, &r->info);
    tips__json_int(json, "classes", c->classes);
    put_class_names(json, &r->info);
    tips__json_text(json, "dataset", r->info.dataset[0] ? r->info.dataset : NULL);
    tips__json_int(json, "parameters", (int64_t)r->trainable);
    tips__json_int(json, "statistics", (int64_t)r->statistics);
}

static tips_status put_model(tips_json *json, const tips_model_report *r) {
    if (!r->is_model) {
        tips__json_text(json, "model", NULL);
        return TIPS_OK;
    }
    tips__json_open_object(json, "model");
    put_network(json, r);
    const tips_status status = put_training(json, r);
    tips__json_close_object(json);
    return status;
}

static void put_metadata(tips_json *json, const tips_safetensors *file) {
    tips__json_open_object(json, "metadata");
    for (int i = 0; file && i < tips__safetensors_metadata_count(file); i++) {
        const char *key, *value;
        tips__safetensors_metadata_at(file, i, &key, &value);
        tips__json_text(json, key, value);
    }
    tips__json_close_object(json);
}

static void put_tensors(tips_json *json, const tips_model_report *r) {
    tips__json_open_array(json, "tensors");
    for (int i = 0; i < r->n_tensors; i++) {
        const tips_tensor_entry *entry = &r->tensors[i];
        tips__json_open_object(json, NULL);
        tips__json_text(json, "name", entry->name);
        tips__json_open_array(json, "shape");
        for (int d = 0; d < entry->n_dims; d++) tips__json_int(json, NULL, entry->dims[d]);
        tips__json_close_array(json);
        tips__json_text(json, "dtype", entry->dtype);
        tips__json_int(json, "bytes", (int64_t)(entry->end - entry->begin));
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
}

tips_status cli_print_info_json(const char *path, const tips_model_report *r) {
    tips_json *json;
    tips_status status = tips__json_create(&json);
    if (status != TIPS_OK) return status;
    tips__json_open_object(json, NULL);
    tips__json_text(json, "file", path);
    tips__json_int(json, "bytes", (int64_t)r->bytes);
    tips__json_text(json, "checksum", tips__model_is_verified(r) ? "verified" : NULL);
    status = put_model(json, r);
    put_metadata(json, r->file);
    put_tensors(json, r);
    tips__json_close_object(json);
    if (status == TIPS_OK) status = tips__json_write(json, stdout);
    tips__json_destroy(json);
    return status;
}
