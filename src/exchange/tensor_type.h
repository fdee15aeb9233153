/* The element types of safetensors, and their values as floats. */
#ifndef TIPS_EXCHANGE_TENSOR_TYPE_H
#define TIPS_EXCHANGE_TENSOR_TYPE_H

#include <stddef.h>
#include <stdint.h>

typedef struct tips_tensor_type {
    const char *name; /* "BF16" */
    int bits;         /* of an element */
    /* `count` elements from little-endian bytes; NULL for types that are only listed. */
    void (*to_float)(const unsigned char *bytes, size_t count, float *out);
} tips_tensor_type;

/* NULL if there is no such type. */
const tips_tensor_type *tips__tensor_type_find(const char *name, size_t length);

/* IEEE half precision and bfloat16, by their bits. */
float tips__half_to_float(uint16_t bits);
float tips__bfloat_to_float(uint16_t bits);
/* Rounded to nearest, ties to even; too large becomes infinite. */
uint16_t tips__float_to_half(float value);
uint16_t tips__float_to_bfloat(float value);

#endif
