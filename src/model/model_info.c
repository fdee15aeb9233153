/* What a model file says besides its tensors, as metadata: texts under keys that begin with "tips.". The rows below are
 * the plain values; operator, normalisation and classes follow in their own form. */
#include "model/model_parts.h"

#include "arch/blueprint.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "model/model_options.h"

#include <math.h>
#include <string.h>
#include <tips/version.h>

enum { KEY_SIZE = 64, VALUE_SIZE = 64, POOL_SIZE = 1024 };

/* A row's key is its name behind "tips.". Those of the network are its options as resolved; all must be there. */
#define LIKE_OPTION(field) \
    .name = #field, .type = TIPS_OPT_LIKE, .offset = offsetof(tips_model_options, field), .group = tips__model_rows
static const tips_option network_rows[] = {
    {LIKE_OPTION(lpf)},
    {LIKE_OPTION(padding)},
    {LIKE_OPTION(stem)},
    {LIKE_OPTION(down), .min = 0, .max = 16},
    {LIKE_OPTION(width), .min = 1, .max = 1024},
    {LIKE_OPTION(classes)},
    {LIKE_OPTION(channels)},
    {LIKE_OPTION(size)},
    {.type = TIPS_OPT_END},
};

/* Written where they say something, and as they fall back where they are missing. */
static const tips_option further_rows[] = {
    {LIKE_OPTION(depth)},
    {LIKE_OPTION(others)},
    {.name = "other-pool",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(tips_model_options, other_pool),
     .group = tips__model_rows},
    {.name = "stem-kernel",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(tips_model_options, stem_kernel),
     .group = tips__model_rows},
    {LIKE_OPTION(head)},
    {LIKE_OPTION(backbone)},
    {.name = "output-stride",
     .type = TIPS_OPT_LIKE,
     .offset = offsetof(tips_model_options, output_stride),
     .group = tips__model_rows},
    {LIKE_OPTION(up)},
    {.type = TIPS_OPT_END},
};

/* Those of the input may be missing, and are as they fall back then. */
#define OF_INFO(field, kind) .name = #field, .type = kind, .offset = offsetof(tips_model_info, field)
static const tips_option input_rows[] = {
    {OF_INFO(resize, TIPS_OPT_INT), .max = 65536, .fallback = "0"},
    {OF_INFO(fit_inside, TIPS_OPT_BOOL), .fallback = "false"},
    {OF_INFO(bgr, TIPS_OPT_BOOL), .fallback = "false"},
    {.type = TIPS_OPT_END},
};

/* The same, and written where they say something. */
static const tips_option placement_rows[] = {
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_model_info, placement), .group = tips__placement_rows},
    {.type = TIPS_OPT_END},
};

void tips__model_info_init(tips_model_info *info) {
    memset(info, 0, sizeof *info);
    info->task = tips__task_default();
    for (int i = 0; i < 3; i++) info->mean[i] = 0.5f, info->std[i] = 0.25f;
    info->mean_from = info->std_from = TIPS_INPUT_DEFAULT;
}

void tips__model_info_clear(tips_model_info *info) {
    if (!info) return;
    tips__class_names_free(info->class_names, info->config.classes);
    tips__blueprint_release(info->config.blueprint);
    info->class_names = NULL;
    info->config.blueprint = NULL;
}

bool tips__model_is_ours(const tips_safetensors *file) { return tips__safetensors_metadata(file, "tips.arch"); }

/* As few digits as give the same float again. */
static void format_float(float value, char *out, size_t size) {
    double scale = 1;
    for (int digits = 0; digits < 9; digits++, scale *= 10) {
        const double rounded = round(value * scale) / scale;
        if ((float)rounded != value) continue;
        tips__number_format(rounded, out, size);
        return;
    }
    tips__number_format(value, out, size);
}

static void format_floats(const float values[3], char *out, size_t size) {
    char text[3][TIPS_NUMBER_SIZE];
    for (int i = 0; i < 3; i++) format_float(values[i], text[i], sizeof text[i]);
    snprintf(out, size, "%s,%s,%s", text[0], text[1], text[2]);
}

/* Files say nothing of plain batch norm. */
static tips_status write_norm(const tips_norm_spec *norm, const tips_metadata_sink *sink) {
    char text[POOL_SIZE];
    if (tips__norm_is_plain(norm)) return TIPS_OK;
    tips__norm_format_all(norm, text, sizeof text);
    return sink->add(sink->context, "tips.norm", text);
}

static tips_status write_task(const tips_task_spec *task, const tips_metadata_sink *sink) {
    char text[POOL_SIZE];
    if (tips__task_is_default(task)) return TIPS_OK;
    tips__task_format_all(task, text, sizeof text);
    return sink->add(sink->context, "tips.task", text);
}

static tips_status write_rows(const tips_option *table, const void *config, const tips_metadata_sink *sink) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        char key[KEY_SIZE], text[VALUE_SIZE];
        snprintf(key, sizeof key, "tips.%s", walk.row.name);
        tips__option_format(&walk.row, config, text, sizeof text);
        TIPS_TRY(sink->add(sink->context, key, text));
    }
    return TIPS_OK;
}

static tips_status write_said(const tips_option *table, const void *config, const tips_metadata_sink *sink) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        char key[KEY_SIZE], text[VALUE_SIZE];
        snprintf(key, sizeof key, "tips.%s", walk.row.name);
        tips__option_format(&walk.row, config, text, sizeof text);
        if (strcmp(text, walk.row.fallback) != 0) TIPS_TRY(sink->add(sink->context, key, text));
    }
    return TIPS_OK;
}

/* Files say nothing of what somebody said: they are the word of that. */
static const char guessed_key[] = "tips.guessed";
static const char *const guessed[2][2] = {{NULL, "std"}, {"mean", "mean,std"}};

static tips_status write_guess(const tips_model_info *info, const tips_metadata_sink *sink) {
    const char *text = guessed[info->mean_from == TIPS_INPUT_GUESSED][info->std_from == TIPS_INPUT_GUESSED];
    return text ? sink->add(sink->context, guessed_key, text) : TIPS_OK;
}

static tips_status write_plain(const tips_model_info *info, const tips_metadata_sink *sink) {
    char text[POOL_SIZE];
    tips_network_texts texts;
    const tips_model_options network = tips__model_options_of(info->arch, &info->config, &texts);
    TIPS_TRY(sink->add(sink->context, "tips.version", tips_version()));
    TIPS_TRY(sink->add(sink->context, "tips.arch", network.arch));
    tips__pool_format_all(&info->config.pool, text, sizeof text); /* a default that changes one day changes no file */
    TIPS_TRY(sink->add(sink->context, "tips.pool", text));
    TIPS_TRY(write_norm(&info->config.norm, sink));
    TIPS_TRY(write_task(&info->task, sink));
    TIPS_TRY(write_rows(network_rows, &network, sink));
    TIPS_TRY(write_said(further_rows, &network, sink));
    TIPS_TRY(write_rows(input_rows, info, sink));
    TIPS_TRY(write_said(placement_rows, info, sink));
    format_floats(info->mean, text, sizeof text);
    TIPS_TRY(sink->add(sink->context, "tips.mean", text));
    format_floats(info->std, text, sizeof text);
    TIPS_TRY(sink->add(sink->context, "tips.std", text));
    return write_guess(info, sink);
}

static tips_status write_graph(const tips_blueprint *blueprint, const tips_metadata_sink *sink) {
    char *text;
    TIPS_TRY(tips__blueprint_format(blueprint, &text));
    const tips_status status = sink->add(sink->context, "tips.graph", text);
    tips__free(text);
    return status;
}

static tips_status write_names(const tips_model_info *info, const tips_metadata_sink *sink) {
    char *names;
    if (!info->class_names) return TIPS_OK;
    TIPS_TRY(tips__class_names_format(info->class_names, info->config.classes, &names));
    const tips_status status = sink->add(sink->context, "tips.class_names", names);
    tips__free(names);
    return status;
}

static tips_status write_colours(const tips_model_info *info, const tips_metadata_sink *sink) {
    char *colours;
    if (info->class_colours.count == 0) return TIPS_OK;
    TIPS_TRY(tips__class_colours_format(&info->class_colours, info->config.classes, &colours));
    const tips_status status = sink->add(sink->context, "tips.class_colours", colours);
    tips__free(colours);
    return status;
}

tips_status tips__model_info_write(const tips_model_info *info, const tips_metadata_sink *sink) {
    TIPS_TRY(write_plain(info, sink));
    if (info->config.blueprint) TIPS_TRY(write_graph(info->config.blueprint, sink));
    if (info->dataset[0]) TIPS_TRY(sink->add(sink->context, "tips.dataset", info->dataset));
    if (info->training[0]) {
        TIPS_TRY(tips__check_json_object(info->training));
        TIPS_TRY(sink->add(sink->context, "tips.training", info->training));
    }
    TIPS_TRY(write_names(info, sink));
    return write_colours(info, sink);
}

static tips_status need(const tips_metadata_source *from, const char *key, const char **out) {
    *out = from->find(from->context, key);
    if (!*out) TIPS_FAIL(TIPS_FORMAT, "the metadata has no %s", key);
    return TIPS_OK;
}

static tips_status read_rows(const tips_metadata_source *from, const tips_option *table, bool needed, void *out) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        char key[KEY_SIZE];
        snprintf(key, sizeof key, "tips.%s", walk.row.name);
        const char *text = from->find(from->context, key);
        if (!text && !needed) text = walk.row.fallback;
        if (!text) TIPS_FAIL(TIPS_FORMAT, "the metadata has no %s", key);
        TIPS_TRY(tips__option_set(&walk.row, out, text, key));
    }
    return TIPS_OK;
}

/* "0.5,0.5,0.5"; one number stands for all three. */
static tips_status read_floats(const tips_metadata_source *from, const char *key, bool positive, float out[3]) {
    const char *text;
    TIPS_TRY(need(from, key, &text));
    for (int i = 0; i < 3; i++) {
        char part[VALUE_SIZE];
        double value;
        const size_t length = strcspn(text, ",");
        snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part), text);
        const bool is_number = tips__number_parse(part, &value) && isfinite((float)value);
        if (!is_number || (positive && (float)value <= 0) || (i == 2 && text[length]))
            TIPS_FAIL(TIPS_FORMAT, "%s must be three %snumbers", key, positive ? "positive " : "");
        out[i] = (float)value;
        if (text[length]) text += length + 1;
        else if (i == 1) TIPS_FAIL(TIPS_FORMAT, "%s must be one number or three", key);
    }
    return TIPS_OK;
}

static tips_status read_guess(const tips_metadata_source *from, tips_model_info *info) {
    const char *text = from->find(from->context, guessed_key);
    info->mean_from = info->std_from = TIPS_INPUT_FILE;
    if (!text) return TIPS_OK;
    for (int i = 1; i < 4; i++) {
        if (strcmp(text, guessed[i / 2][i % 2]) != 0) continue;
        if (i / 2) info->mean_from = TIPS_INPUT_GUESSED;
        if (i % 2) info->std_from = TIPS_INPUT_GUESSED;
        return TIPS_OK;
    }
    TIPS_FAIL(TIPS_FORMAT, "%s is 'mean', 'std' or 'mean,std', not '%s'", guessed_key, text);
}

static tips_status read_text(const tips_metadata_source *from, const char *key, char *out, size_t size) {
    const char *text = from->find(from->context, key);
    if (!text) text = "";
    if (strlen(text) >= size) TIPS_FAIL(TIPS_FORMAT, "%s is longer than %zu bytes", key, size - 1);
    memcpy(out, text, strlen(text) + 1);
    return TIPS_OK;
}

static tips_status read_graph(const tips_metadata_source *from, tips_blueprint **out) {
    const char *graph;
    TIPS_TRY(need(from, "tips.graph", &graph));
    return tips__blueprint_parse(graph, strlen(graph), out);
}

/* With all its options: the file may be older than some. */
static tips_status read_pool(const tips_metadata_source *from, char *out, size_t size) {
    const char *text;
    tips_pool_spec spec;
    TIPS_TRY(need(from, "tips.pool", &text));
    TIPS_TRY(tips__pool_parse_stored(text, 0, &spec));
    tips__pool_format_all(&spec, out, size);
    return TIPS_OK;
}

static tips_status read_network(const tips_metadata_source *from, tips_model_info *info) {
    char pool[POOL_SIZE];
    tips_model_options network = {.task = from->find(from->context, "tips.task"),
                                  .norm = from->find(from->context, "tips.norm")};
    TIPS_TRY(need(from, "tips.arch", &network.arch));
    TIPS_TRY(read_pool(from, pool, sizeof pool));
    network.pool = pool;
    TIPS_TRY(read_rows(from, network_rows, true, &network));
    TIPS_TRY(read_rows(from, further_rows, false, &network));
    TIPS_TRY(read_rows(from, input_rows, false, info));
    TIPS_TRY(read_rows(from, placement_rows, false, info));
    if (info->bgr && network.channels != 3)
        TIPS_FAIL(TIPS_FORMAT, "tips.bgr: an input of %d channels is not blue, green, red", network.channels);
    if (strcmp(network.arch, tips__arch_graph.name) == 0) TIPS_TRY(read_graph(from, &info->config.blueprint));
    network.blueprint = info->config.blueprint;
    return tips__model_options_resolve(&network, &info->arch, &info->config, &info->task);
}

static tips_status read_info(const tips_metadata_source *from, tips_model_info *info) {
    TIPS_TRY(read_network(from, info));
    TIPS_TRY(read_floats(from, "tips.mean", false, info->mean));
    TIPS_TRY(read_floats(from, "tips.std", true, info->std));
    TIPS_TRY(read_guess(from, info));
    TIPS_TRY(read_text(from, "tips.version", info->version, sizeof info->version));
    TIPS_TRY(read_text(from, "tips.dataset", info->dataset, sizeof info->dataset));
    TIPS_TRY(read_text(from, "tips.training", info->training, sizeof info->training));
    if (info->training[0]) TIPS_TRY(tips__check_json_object(info->training));
    const char *names = from->find(from->context, "tips.class_names");
    const char *colours = from->find(from->context, "tips.class_colours");
    if (colours) TIPS_TRY(tips__class_colours_parse(colours, info->config.classes, &info->class_colours));
    return names ? tips__class_names_parse(names, info->config.classes, &info->class_names) : TIPS_OK;
}

tips_status tips__model_info_read_from(const tips_metadata_source *from, tips_model_info *out) {
    tips_model_info info = {0};
    const tips_status status = read_info(from, &info);
    if (status == TIPS_OK) *out = info;
    else tips__model_info_clear(&info);
    /* Whatever is wrong, it is the file that is: not what a user typed. */
    return status == TIPS_OK || status == TIPS_MEMORY ? status : TIPS_FORMAT;
}

static const char *find_in_safetensors(const void *file, const char *key) {
    return tips__safetensors_metadata(file, key);
}

/* What most numbers of the file are, by the names that ONNX has for them. */
static const char *stored_type(const tips_safetensors *file) {
    static const char *const types[][2] = {{"F32", NULL}, {"F16", "float16"}, {"BF16", "bfloat16"}, {"F64", "double"}};
    enum { TYPES = sizeof types / sizeof *types };
    double numbers[TYPES] = {0};
    int most = 0;
    for (int i = 0; i < tips__safetensors_count(file); i++)
        for (int k = 0; k < TYPES; k++) {
            const tips_tensor_entry *entry = tips__safetensors_entry(file, i);
            if (strcmp(entry->dtype, types[k][0]) == 0) numbers[k] += (double)tips__tensor_elements(entry);
        }
    for (int k = 0; k < TYPES; k++)
        if (numbers[k] > numbers[most]) most = k;
    return types[most][1];
}

tips_status tips__model_info_read(const tips_safetensors *file, tips_model_info *out) {
    TIPS_TRY(tips__model_info_read_from(&(tips_metadata_source){find_in_safetensors, file}, out));
    out->stored = stored_type(file);
    return TIPS_OK;
}
