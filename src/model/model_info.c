/* What a model file says besides its tensors, as metadata: texts under keys that begin with "tips.". The rows below are
 * the plain values; operator, normalisation and classes follow in their own form. */
#include "model/model_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "arch/blueprint.h"
#include "core/number.h"

#include <math.h>
#include <string.h>
#include <tips/version.h>

enum { KEY_SIZE = 64, VALUE_SIZE = 64, POOL_SIZE = 1024 };

/* The plain values, in the types that options have. */
typedef struct plain_values {
    int lpf, padding, stem, down, width, classes, channels, size[2], resize;
    bool fit_inside, bgr;
} plain_values;

#define WHOLE(key, field, least, most) \
    { .name = key, .type = TIPS_OPT_INT, .offset = offsetof(plain_values, field), .min = least, .max = most }
#define CHOICE(key, field, names) \
    { .name = key, .type = TIPS_OPT_CHOICE, .offset = offsetof(plain_values, field), .choices = names }

/* A row with a fallback may be missing in a file. */
static const tips_option rows[] = {
    WHOLE("tips.lpf", lpf, 0, 7),
    CHOICE("tips.padding", padding, tips_pad_mode_names),
    CHOICE("tips.stem", stem, tips__stem_names),
    WHOLE("tips.down", down, 0, 16),
    WHOLE("tips.width", width, 1, 1024),
    WHOLE("tips.classes", classes, 1, 100000),
    WHOLE("tips.channels", channels, 1, 64),
    {.name = "tips.size", .type = TIPS_OPT_PAIR, .offset = offsetof(plain_values, size), .min = 1, .max = 4096},
    {.name = "tips.resize",
     .type = TIPS_OPT_INT,
     .offset = offsetof(plain_values, resize),
     .max = 65536,
     .fallback = "0"},
    {.name = "tips.fit_inside",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(plain_values, fit_inside),
     .fallback = "false"},
    {.name = "tips.bgr", .type = TIPS_OPT_BOOL, .offset = offsetof(plain_values, bgr), .fallback = "false"},
    {.type = TIPS_OPT_END},
};

void tips__model_info_init(tips_model_info *info) {
    memset(info, 0, sizeof *info);
    info->task = tips__task_default();
    for (int i = 0; i < 3; i++) info->mean[i] = 0.5f, info->std[i] = 0.25f;
}

void tips__model_info_clear(tips_model_info *info) {
    if (!info) return;
    tips__class_names_free(info->class_names, info->config.classes);
    tips__blueprint_release(info->config.blueprint);
    info->class_names = NULL;
    info->config.blueprint = NULL;
}

bool tips__model_is_ours(const tips_safetensors *file) { return tips__safetensors_metadata(file, "tips.arch"); }

static plain_values plain_of(const tips_model_info *info) {
    const tips_arch_config *c = &info->config;
    return (plain_values){.lpf = c->pool.lpf,
                          .padding = c->padding,
                          .stem = c->stem,
                          .down = c->down,
                          .width = c->width,
                          .classes = c->classes,
                          .channels = c->in_channels,
                          .size = {c->size[0], c->size[1]},
                          .resize = info->resize,
                          .fit_inside = info->fit_inside,
                          .bgr = info->bgr};
}

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

static tips_status write_plain(const tips_model_info *info, const tips_metadata_sink *sink) {
    const plain_values values = plain_of(info);
    char text[POOL_SIZE];
    TIPS_TRY(sink->add(sink->context, "tips.version", tips_version()));
    TIPS_TRY(sink->add(sink->context, "tips.arch", info->arch->name));
    tips__pool_format_all(&info->config.pool, text, sizeof text);
    TIPS_TRY(sink->add(sink->context, "tips.pool", text));
    TIPS_TRY(write_norm(&info->config.norm, sink));
    if (!tips__task_is_default(&info->task)) {
        tips__task_format(&info->task, text, sizeof text);
        TIPS_TRY(sink->add(sink->context, "tips.task", text));
    }
    for (const tips_option *row = rows; row->type != TIPS_OPT_END; row++) {
        tips__option_format(row, &values, text, sizeof text);
        TIPS_TRY(sink->add(sink->context, row->name, text));
    }
    format_floats(info->mean, text, sizeof text);
    TIPS_TRY(sink->add(sink->context, "tips.mean", text));
    format_floats(info->std, text, sizeof text);
    return sink->add(sink->context, "tips.std", text);
}

static tips_status write_graph(const tips_blueprint *blueprint, const tips_metadata_sink *sink) {
    char *text;
    TIPS_TRY(tips__blueprint_format(blueprint, &text));
    const tips_status status = sink->add(sink->context, "tips.graph", text);
    tips__free(text);
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
    if (!info->class_names) return TIPS_OK;
    char *names;
    TIPS_TRY(tips__class_names_format(info->class_names, info->config.classes, &names));
    const tips_status status = sink->add(sink->context, "tips.class_names", names);
    tips__free(names);
    return status;
}

static tips_status need(const tips_metadata_source *from, const char *key, const char **out) {
    *out = from->find(from->context, key);
    if (!*out) TIPS_FAIL(TIPS_FORMAT, "the metadata has no %s", key);
    return TIPS_OK;
}

static tips_status read_plain(const tips_metadata_source *from, plain_values *out) {
    for (const tips_option *row = rows; row->type != TIPS_OPT_END; row++) {
        const char *text = from->find(from->context, row->name);
        if (!text) text = row->fallback;
        if (!text) TIPS_FAIL(TIPS_FORMAT, "the metadata has no %s", row->name);
        TIPS_TRY(tips__option_set(row, out, text, row->name));
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

static tips_status read_text(const tips_metadata_source *from, const char *key, char *out, size_t size) {
    const char *text = from->find(from->context, key);
    if (!text) text = "";
    if (strlen(text) >= size) TIPS_FAIL(TIPS_FORMAT, "%s is longer than %zu bytes", key, size - 1);
    memcpy(out, text, strlen(text) + 1);
    return TIPS_OK;
}

static tips_status read_network(const tips_metadata_source *from, tips_model_info *info) {
    const char *arch, *pool;
    plain_values v = {0};
    TIPS_TRY(need(from, "tips.arch", &arch));
    TIPS_TRY(need(from, "tips.pool", &pool));
    const char *norm = from->find(from->context, "tips.norm");
    TIPS_TRY(read_plain(from, &v));
    TIPS_TRY(tips__task_parse(from->find(from->context, "tips.task"), &info->task));
    TIPS_TRY(tips__arch_find(arch, &info->arch));
    info->config = (tips_arch_config){.in_channels = v.channels,
                                      .size = {v.size[0], v.size[1]},
                                      .classes = v.classes,
                                      .width = v.width,
                                      .down = v.down,
                                      .stem = (tips_stem)v.stem,
                                      .padding = (tips_pad_mode)v.padding};
    info->resize = v.resize;
    info->fit_inside = v.fit_inside;
    info->bgr = v.bgr;
    if (v.bgr && v.channels != 3)
        TIPS_FAIL(TIPS_FORMAT, "tips.bgr: an input of %d channels is not blue, green, red", v.channels);
    TIPS_TRY(tips__pool_parse(pool, v.lpf, &info->config.pool));
    if (norm) TIPS_TRY(tips__norm_parse(norm, &info->config.norm));
    if (info->arch == &tips__arch_graph) {
        const char *graph;
        TIPS_TRY(need(from, "tips.graph", &graph));
        TIPS_TRY(tips__blueprint_parse(graph, strlen(graph), &info->config.blueprint));
    }
    return tips__arch_resolve(info->arch, &info->config);
}

static tips_status read_info(const tips_metadata_source *from, tips_model_info *info) {
    TIPS_TRY(read_network(from, info));
    TIPS_TRY(read_floats(from, "tips.mean", false, info->mean));
    TIPS_TRY(read_floats(from, "tips.std", true, info->std));
    TIPS_TRY(read_text(from, "tips.version", info->version, sizeof info->version));
    TIPS_TRY(read_text(from, "tips.dataset", info->dataset, sizeof info->dataset));
    TIPS_TRY(read_text(from, "tips.training", info->training, sizeof info->training));
    if (info->training[0]) TIPS_TRY(tips__check_json_object(info->training));
    const char *names = from->find(from->context, "tips.class_names");
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

tips_status tips__model_info_read(const tips_safetensors *file, tips_model_info *out) {
    return tips__model_info_read_from(&(tips_metadata_source){find_in_safetensors, file}, out);
}
