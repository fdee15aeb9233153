/* config.json: the options as given and filled in, what came of them, and the versions that made it. */
#include "train/train_parts.h"

#include <tips/version.h>

#include "core/atomic_file.h"
#include "core/build.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/threads.h"

#include <string.h>

const char tips__config_name[] = "config.json";

static void put_option(tips_json *json, const tips_option *row, const void *config) {
    char value[4096];
    const char *at = (const char *)config + row->offset;
    if (row->type == TIPS_OPT_BOOL) tips__json_bool(json, row->name, *(const bool *)at);
    else if (row->type == TIPS_OPT_INT) tips__json_int(json, row->name, *(const int *)at);
    else if (row->type == TIPS_OPT_FLOAT) tips__json_number(json, row->name, *(const double *)at);
    else if (row->type == TIPS_OPT_TEXT) tips__json_text(json, row->name, *(const char *const *)at);
    else {
        tips__option_format(row, config, value, sizeof value);
        tips__json_text(json, row->name, value);
    }
}

static void put_floats(tips_json *json, const char *key, const float *values, int count) {
    tips__json_open_array(json, key);
    for (int i = 0; i < count; i++) tips__json_number(json, NULL, values[i]);
    tips__json_close_array(json);
}

static void put_size(tips_json *json, const int size[2]) {
    tips__json_open_array(json, "size");
    tips__json_int(json, NULL, size[0]);
    tips__json_int(json, NULL, size[1]);
    tips__json_close_array(json);
}

static void put_input(tips_json *json, const tips_model_info *info) {
    const tips_input_facts facts = tips__model_input(info);
    tips__input_put(json, "input", &facts);
}

static void put_teacher(tips_json *json, const train_setup *s) {
    if (!s->teacher) return;
    tips__json_open_object(json, "teacher");
    tips__json_text(json, "model", s->config->teacher);
    put_input(json, tips__teacher_info(s->teacher));
    tips__json_close_object(json);
}

/* The options that make the network as it came out, and what it says of its input. */
static void put_network(tips_json *json, const train_setup *s) {
    static const char *const names[] = {"arch",    "pool",   "lpf",        "norm",       "padding",  "stem",
                                        "down",    "width",  "depth",      "head",       "channels", "size",
                                        "classes", "others", "other-pool", "stem-kernel"};
    tips_network_texts texts;
    const tips_model_options network = tips__model_options_of(s->info.arch, &s->info.config, &texts);
    tips__json_open_object(json, "network");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tips_option row;
        if (strcmp(names[i], "size") == 0) put_size(json, network.size);
        else if (tips__option_find(tips__model_rows, names[i], &row)) put_option(json, &row, &network);
    }
    put_floats(json, "mean", s->info.mean, network.channels == 1 ? 1 : 3);
    put_floats(json, "std", s->info.std, network.channels == 1 ? 1 : 3);
    put_input(json, &s->info);
    tips__json_bool(json, "fit_inside", s->info.fit_inside);
    tips__json_close_object(json);
}

static void put_data(tips_json *json, const train_setup *s) {
    tips__json_open_object(json, "data");
    tips__json_text(json, "format", tips__dataset_format(s->set));
    tips__json_text(json, "path", tips__dataset_path(s->set));
    tips__json_int(json, "train", tips__dataset_count(s->set, TIPS_SPLIT_TRAIN));
    tips__json_int(json, "val", tips__dataset_count(s->set, TIPS_SPLIT_VAL));
    tips__json_int(json, "test", tips__dataset_count(s->set, TIPS_SPLIT_TEST));
    tips__json_bool(json, "val_is_test", tips__dataset_val_is_test(s->set));
    tips__json_close_object(json);
}

/* In the order of the table, which is the same however they were said. */
static void put_given(tips_json *json, const tips_given *given) {
    tips__json_open_array(json, "given");
    for (tips_option_walk walk = tips__options_walk(tips__train_rows); tips__options_next(&walk);)
        if (tips__given_has(given, walk.row.name)) tips__json_text(json, NULL, walk.row.name);
    tips__json_close_array(json);
}

static void put_all(tips_json *json, const train_setup *s) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "version", tips_version());
    tips__json_text(json, "build", tips__build());
    tips__json_int(json, "threads", tips__threads());
    tips__json_int(json, "batch", s->batch);
    tips__json_open_object(json, "options");
    for (tips_option_walk walk = tips__options_walk(tips__train_rows); tips__options_next(&walk);)
        put_option(json, &walk.row, s->config);
    tips__json_close_object(json);
    put_given(json, &s->config->given);
    put_network(json, s);
    put_teacher(json, s);
    put_data(json, s);
    tips__json_close_object(json);
}

tips_status tips__train_write_config(const train_setup *s) {
    char path[TIPS_PATH_SIZE];
    const char *text;
    size_t length;
    tips_json *json;
    TIPS_TRY(tips__path_join(s->config->out, tips__config_name, path));
    TIPS_TRY(tips__json_create(&json));
    put_all(json, s);
    tips_status status = tips__json_result(json, &text, &length);
    if (status == TIPS_OK) status = tips__atomic_save(path, text, length);
    tips__json_destroy(json);
    return status;
}
