/* Names of steps, so that weights get back the names they had where the file came from:
 *     weights "layer1.0.conv1.weight"       -> layer1.0.conv1
 *     node "/layer1/layer1.0/conv1/Conv"    -> layer1.0.conv1
 *     node "/layer1/layer1.0/Add"           -> layer1.0.add
 *     neither                               -> conv_12, by the node's place in the graph */
#include "onnx/onnx_importer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

bool tips__onnx_name_from(const onnx_importer *im, int value, char out[ONNX_NAME]) {
    if (value == ONNX_NONE) return false;
    const char *name = im->file->sources[value].name;
    if (!ends_with(name, ".weight") || strncmp(name, "onnx::", 6) == 0) return false;
    const size_t length = strlen(name) - strlen(".weight");
    if (length >= ONNX_NAME) return false;
    memcpy(out, name, length);
    out[length] = '\0';
    return true;
}

/* The first part of the name of weights at an input, if it is one. */
static bool from_weights(const onnx_importer *im, int weights, char out[ONNX_NAME]) {
    return weights != ONNX_NONE && weights < im->node->n_in && tips__onnx_name_from(im, im->node->in[weights], out);
}

/* Modules in a list carry its name: "layer1.0" follows and replaces "layer1". */
static bool append_part(char out[ONNX_NAME], size_t *last, const char *part, size_t length) {
    size_t end = strlen(out);
    const size_t tail = end - *last;
    if (tail && length > tail && part[tail] == '.' && strncmp(out + *last, part, tail) == 0) {
        end = *last;
    } else if (end) {
        if (end + 1 >= ONNX_NAME) return false;
        out[end++] = '.';
        *last = end;
    }
    if (end + length >= ONNX_NAME) return false;
    memcpy(out + end, part, length);
    out[end + length] = '\0';
    return true;
}

/* The folders of a node's path. */
static bool from_path(const char *path, char out[ONNX_NAME]) {
    size_t last = 0;
    out[0] = '\0';
    for (const char *slash; (slash = strchr(path, '/')) != NULL; path = slash + 1)
        if (slash > path && !append_part(out, &last, path, (size_t)(slash - path))) return false;
    return out[0] != '\0';
}

static void append_lower(char out[ONNX_NAME], const char *text) {
    size_t end = strlen(out);
    if (end && end + 1 < ONNX_NAME) out[end++] = '.';
    for (; *text && end + 1 < ONNX_NAME; text++) out[end++] = (char)tolower((unsigned char)*text);
    out[end] = '\0';
}

static void from_operator(const onnx_importer *im, char out[ONNX_NAME]) {
    char number[24];
    out[0] = '\0';
    append_lower(out, im->node->proto->op_type);
    snprintf(number, sizeof number, "_%d", (int)(im->node - im->file->nodes));
    if (strlen(out) + strlen(number) < ONNX_NAME) memcpy(out + strlen(out), number, strlen(number) + 1);
}

/* Operators that are written out where modules are used, not modules themselves: their path is the module around. */
static bool is_written_out(const char *op) {
    static const char *const ops[] = {"Add",     "Sub",     "Mul",        "Div",       "Sum",     "Concat",
                                      "Slice",   "Split",   "Gather",     "Pad",       "Relu",    "Neg",
                                      "Reshape", "Flatten", "ReduceMean", "Transpose", "Softmax", "MatMul"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(op, ops[i]) == 0) return true;
    return false;
}

/* Whether the path's last module is the operator's own: "/layer1/layer1.0/relu_1/Relu". */
static bool names_operator(const char *path, const char *op) {
    const char *last = strrchr(path, '.');
    last = last ? last + 1 : path;
    for (; *op; op++, last++)
        if (tolower((unsigned char)*last) != tolower((unsigned char)*op)) return false;
    return true;
}

void tips__onnx_step_name(const onnx_importer *im, int weights, char out[ONNX_NAME]) {
    const Onnx__NodeProto *proto = im->node->proto;
    if (from_weights(im, weights, out)) return;
    const char *path = proto->name ? proto->name : "", *own = strrchr(path, '/');
    const bool has_path = from_path(path, out);
    if (weights == ONNX_NONE && own && is_written_out(proto->op_type)) {
        if (!has_path) out[0] = '\0';
        if (!names_operator(out, proto->op_type)) append_lower(out, own + 1);
        if (out[0]) return;
    }
    if (!has_path || !out[0]) from_operator(im, out);
}

void tips__onnx_step_name_of(const onnx_importer *im, const char *suffix, char out[ONNX_NAME]) {
    tips__onnx_step_name(im, ONNX_NONE, out);
    const size_t end = strlen(out);
    if (!names_operator(out, suffix) && end + strlen(suffix) + 2 < ONNX_NAME)
        snprintf(out + end, ONNX_NAME - end, ".%s", suffix);
}
