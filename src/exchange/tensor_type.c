/* The table of element types. Values wider than a float are rounded; those of 8 bits and less that are no plain numbers
 * can be listed but not read. */
#include "exchange/tensor_type.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors are copied as they are, which takes a little-endian machine"
#endif

#define CONVERT(name, type, expression)                                             \
    static void from_##name(const unsigned char *bytes, size_t count, float *out) { \
        for (size_t i = 0; i < count; i++) {                                        \
            type x;                                                                 \
            memcpy(&x, bytes + i * sizeof x, sizeof x);                             \
            out[i] = (float)(expression);                                           \
        }                                                                           \
    }
CONVERT(bool, uint8_t, x != 0)
CONVERT(u8, uint8_t, x)
CONVERT(i8, int8_t, x)
CONVERT(u16, uint16_t, x)
CONVERT(i16, int16_t, x)
CONVERT(u32, uint32_t, x)
CONVERT(i32, int32_t, x)
CONVERT(u64, uint64_t, x)
CONVERT(i64, int64_t, x)
CONVERT(f16, uint16_t, tips__half_to_float(x))
CONVERT(bf16, uint16_t, tips__bfloat_to_float(x))
CONVERT(f64, double, x)
#undef CONVERT

static void from_f32(const unsigned char *bytes, size_t count, float *out) {
    if (count) memcpy(out, bytes, count * sizeof *out);
}

static const tips_tensor_type types[] = {
    {"F32", 32, from_f32}, {"F16", 16, from_f16}, {"BF16", 16, from_bf16}, {"F64", 64, from_f64}, {"I64", 64, from_i64},
    {"I32", 32, from_i32}, {"I16", 16, from_i16}, {"I8", 8, from_i8},      {"U64", 64, from_u64}, {"U32", 32, from_u32},
    {"U16", 16, from_u16}, {"U8", 8, from_u8},    {"BOOL", 8, from_bool},  {"F8_E4M3", 8, NULL},  {"F8_E5M2", 8, NULL},
    {"F8_E8M0", 8, NULL},  {"F6_E2M3", 6, NULL},  {"F6_E3M2", 6, NULL},    {"F4", 4, NULL},       {"C64", 64, NULL},
};

const tips_tensor_type *tips__tensor_type_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0) return &types[i];
    return NULL;
}
