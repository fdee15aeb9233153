/* Attributes of nodes, by name and type. */
#include "onnx/onnx_parts.h"

#include "core/fail.h"

#include <math.h>
#include <string.h>

const Onnx__AttributeProto *tips__onnx_attribute(const Onnx__NodeProto *node, const char *name) {
    for (size_t i = 0; i < node->n_attribute; i++)
        if (node->attribute[i]->name && strcmp(node->attribute[i]->name, name) == 0) return node->attribute[i];
    return NULL;
}

/* Files of the first IR versions do not say the type. */
static tips_status typed(const Onnx__NodeProto *node, const char *name, Onnx__AttributeProto__AttributeType type,
                         const char *what, const Onnx__AttributeProto **out) {
    const Onnx__AttributeProto *attribute = tips__onnx_attribute(node, name);
    if (attribute && attribute->has_type && attribute->type != type)
        TIPS_FAIL(TIPS_FORMAT, "its attribute '%s' is not %s", name, what);
    if (attribute && attribute->ref_attr_name && attribute->ref_attr_name[0])
        TIPS_FAIL(TIPS_FORMAT, "its attribute '%s' refers to that of a function", name);
    *out = attribute;
    return TIPS_OK;
}

tips_status tips__onnx_int(const Onnx__NodeProto *node, const char *name, int64_t *out) {
    const Onnx__AttributeProto *attribute = NULL;
    TIPS_TRY(typed(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, "a whole number", &attribute));
    if (attribute) *out = attribute->i;
    return TIPS_OK;
}

tips_status tips__onnx_float(const Onnx__NodeProto *node, const char *name, double *out) {
    const Onnx__AttributeProto *attribute = NULL;
    TIPS_TRY(typed(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT, "a number", &attribute));
    if (attribute && isnan(attribute->f)) TIPS_FAIL(TIPS_NUMERIC, "its attribute '%s' is not a number", name);
    if (attribute) *out = attribute->f;
    return TIPS_OK;
}

tips_status tips__onnx_finite(const Onnx__NodeProto *node, const char *name, double *out) {
    double value = *out;
    TIPS_TRY(tips__onnx_float(node, name, &value));
    if (isinf(value)) TIPS_FAIL(TIPS_NUMERIC, "its attribute '%s' is %g; it must be finite", name, value);
    *out = value;
    return TIPS_OK;
}

tips_status tips__onnx_epsilon(const Onnx__NodeProto *node, double *out) {
    double value = *out;
    TIPS_TRY(tips__onnx_finite(node, "epsilon", &value));
    if (value < 0)
        TIPS_FAIL(TIPS_NUMERIC, "its attribute 'epsilon' is %g; what is added to a variance is 0 or more", value);
    *out = value > 0 ? value : 1e-30; /* 0 stands for another one in layers */
    return TIPS_OK;
}

tips_status tips__onnx_text(const Onnx__NodeProto *node, const char *name, char *out, size_t size) {
    const Onnx__AttributeProto *attribute = NULL;
    TIPS_TRY(typed(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING, "a text", &attribute));
    if (!attribute) return TIPS_OK;
    if (attribute->s.len >= size) TIPS_FAIL(TIPS_UNSUPPORTED, "the text of its attribute '%s' is too long", name);
    if (attribute->s.len) memcpy(out, attribute->s.data, attribute->s.len);
    out[attribute->s.len] = '\0';
    for (size_t i = 0; i < attribute->s.len; i++)
        if (out[i] < 0x20 || out[i] > 0x7e) TIPS_FAIL(TIPS_FORMAT, "its attribute '%s' is no plain text", name);
    return TIPS_OK;
}

tips_status tips__onnx_ints(const Onnx__NodeProto *node, const char *name, int most, int64_t *out, int *count) {
    const Onnx__AttributeProto *attribute = NULL;
    *count = 0;
    TIPS_TRY(typed(node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "a list of whole numbers", &attribute));
    if (!attribute) return TIPS_OK;
    if (attribute->n_ints > (size_t)most)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its attribute '%s' has %zu numbers; at most %d are read", name, attribute->n_ints,
                  most);
    for (size_t i = 0; i < attribute->n_ints; i++) out[i] = attribute->ints[i];
    *count = (int)attribute->n_ints;
    return TIPS_OK;
}
