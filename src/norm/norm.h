/* What a norm is: what an architecture puts behind each of its convolutions, or in place of both, with options. One
 * file and one line in norms.def each. An architecture never names one: it asks tips__conv_norm for a convolution with
 * the configured one, or, where the norm comes first, tips__norm_add and tips__norm_conv. */
#ifndef TIPS_NORM_NORM_H
#define TIPS_NORM_NORM_H

#include "core/json.h"
#include "layer/layers.h"

typedef struct tips_norm {
    const char *name, *brief;
    const tips_option *options; /* of its config; the first one may be given without its name */
    /* Adds its nodes for x and returns the output, of the same shape. NULL: it has none of its own. */
    tips_value (*add)(tips_graph *graph, const char *name, const void *config, tips_value x);
    /* Adds a convolution that normalises by itself. NULL: conv2d will do. */
    tips_value (*conv)(tips_graph *graph, const char *name, const void *config, const tips_conv2d *conv, tips_value x);
    bool wants_bias; /* convolutions have a bias, as no norm behind them adds one */
} tips_norm;

extern const tips_norm *const tips__norms[]; /* closed by NULL */

enum { TIPS_NORM_CONFIG_BYTES = 64 };
#define TIPS_NORM_CHECK_CONFIG(type) \
    _Static_assert(sizeof(type) <= TIPS_NORM_CONFIG_BYTES, "the config of a norm is too large")

/* A norm with its options, as written: "batch:momentum=0.01". All zeros is plain batch norm. */
typedef struct tips_norm_spec {
    const tips_norm *norm;
    union {
        unsigned char bytes[TIPS_NORM_CONFIG_BYTES];
        double align;
    } config;
} tips_norm_spec;

/* Parses "name", "name:key=value,..." or "name:value,..."; an unknown name suggests the nearest. */
tips_status tips__norm_parse(const char *text, tips_norm_spec *out) TIPS_MUST_CHECK;
void tips__norm_format(const tips_norm_spec *spec, char *out, size_t size);
/* With every option, for files. */
void tips__norm_format_all(const tips_norm_spec *spec, char *out, size_t size);
/* Whether it is plain batch norm, of which files and results say nothing. */
bool tips__norm_is_plain(const tips_norm_spec *spec);

/* For results: the key "norm" of an object, and ", norm batch:eps=0.001" behind the operator; nothing if plain. */
void tips__norm_put(tips_json *json, const tips_norm_spec *spec);
enum { TIPS_NORM_NOTE = 256 };
const char *tips__norm_note(const tips_norm_spec *spec, char *out, size_t size);

/* A convolution and its norm, in this order: all that an architecture needs where the one follows the other. The norm
 * decides on the convolution's bias, whatever `conv` says; strides, dilations and groups of 0 stand for 1. Norms
 * without a layer of their own leave `norm_name` unused. */
tips_value tips__conv_norm(tips_graph *graph, const char *conv_name, const char *norm_name, const tips_norm_spec *spec,
                           const tips_conv2d *conv, tips_value x);
/* Its two parts, where something else comes between them or the norm comes first (norm, ReLU, convolution): a norm that
 * is a part of the convolution is there in tips__norm_conv, and tips__norm_add gives x back. */
tips_value tips__norm_conv(tips_graph *graph, const char *name, const tips_norm_spec *spec, const tips_conv2d *conv,
                           tips_value x);
tips_value tips__norm_add(tips_graph *graph, const char *name, const tips_norm_spec *spec, tips_value x);

#endif
