/* The table of norms: finding one, reading and writing "name:key=value,...", placing it. */
#include "core/fail.h"
#include "core/named.h"
#include "norm/norm.h"

#include <string.h>

#define TIPS_NORM(name) extern const tips_norm tips__norm_##name;
#include "norm/norms.def"
#undef TIPS_NORM

const tips_norm *const TIPS_ROW(tips__norms)[] = {
#define TIPS_NORM(name) &tips__norm_##name,
#include "norm/norms.def"
#undef TIPS_NORM
    NULL};

enum { TEXT_SIZE = 256 };

static tips_named named_row(int i) {
    return tips__norms[i] ? (tips_named){tips__norms[i]->name, tips__norms[i]->options} : (tips_named){0};
}

static const tips_name_table table = {.what = "norm", .row = named_row, .first_alone = true};

tips_status tips__norm_parse(const char *text, tips_norm_spec *out) {
    tips_norm_spec spec;
    int row;
    memset(&spec, 0, sizeof spec);
    TIPS_TRY(tips__named_find(&table, text, &row));
    spec.norm = tips__norms[row];
    TIPS_TRY(tips__named_read(&table, row, text, &spec.config));
    *out = spec;
    return TIPS_OK;
}

/* The spec itself, or what one of zeros stands for; the name of a row alone always parses. */
static tips_norm_spec filled(const tips_norm_spec *spec) {
    tips_norm_spec plain;
    return spec->norm || tips__norm_parse(tips__norms[0]->name, &plain) != TIPS_OK ? *spec : plain;
}

void tips__norm_format(const tips_norm_spec *spec, char *out, size_t size) {
    const tips_norm_spec s = filled(spec);
    tips__named_format((tips_named){s.norm->name, s.norm->options}, &s.config, out, size);
}

void tips__norm_format_all(const tips_norm_spec *spec, char *out, size_t size) {
    const tips_norm_spec s = filled(spec);
    tips__named_format_all((tips_named){s.norm->name, s.norm->options}, &s.config, out, size);
}

bool tips__norm_is_plain(const tips_norm_spec *spec) {
    char text[TEXT_SIZE];
    tips__norm_format(spec, text, sizeof text);
    return strcmp(text, tips__norms[0]->name) == 0;
}

void tips__norm_put(tips_json *json, const tips_norm_spec *spec) {
    char text[TEXT_SIZE];
    if (tips__norm_is_plain(spec)) return;
    tips__norm_format(spec, text, sizeof text);
    tips__json_text(json, "norm", text);
}

const char *tips__norm_note(const tips_norm_spec *spec, char *out, size_t size) {
    char text[TEXT_SIZE];
    tips__norm_format(spec, text, sizeof text);
    if (tips__norm_is_plain(spec)) return "";
    snprintf(out, size, ", norm %s", text);
    return out;
}

tips_value tips__norm_add(tips_graph *graph, const char *name, const tips_norm_spec *spec, tips_value x) {
    const tips_norm_spec s = filled(spec);
    return s.norm->add ? s.norm->add(graph, name, &s.config, x) : x;
}

tips_value tips__norm_conv(tips_graph *graph, const char *name, const tips_norm_spec *spec, const tips_conv2d *conv,
                           tips_value x) {
    const tips_norm_spec s = filled(spec);
    tips_conv2d config = *conv;
    config.bias = s.norm->wants_bias;
    return s.norm->conv ? s.norm->conv(graph, name, &s.config, &config, x) : tips__conv2d(graph, name, x, config);
}

tips_value tips__conv_norm(tips_graph *graph, const char *conv_name, const char *norm_name, const tips_norm_spec *spec,
                           const tips_conv2d *conv, tips_value x) {
    return tips__norm_add(graph, norm_name, spec, tips__norm_conv(graph, conv_name, spec, conv, x));
}
