/* 16-bit floats by their bits: 1 sign, 5 exponent and 10 fraction bits (half), or the upper half of a float (bfloat16).
 */
#include "exchange/tensor_type.h"

#include <string.h>

static float from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float tips__bfloat_to_float(uint16_t bits) { return from_bits((uint32_t)bits << 16); }

uint16_t tips__float_to_bfloat(float value) {
    const uint32_t bits = to_bits(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40); /* stays a NaN, a quiet one */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float tips__half_to_float(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 31) return from_bits(sign | 0x7f800000 | fraction << 13);
    if (exponent > 0) return from_bits(sign | (exponent + 112) << 23 | fraction << 13);
    const float tiny = (float)fraction * 0x1p-24f; /* a subnormal half is a normal float */
    return sign ? -tiny : tiny;
}

/* The fraction with its leading one, shifted right by `shift` and rounded to even. */
static uint32_t shift_rounded(uint32_t fraction, uint32_t shift) {
    const uint32_t rest = fraction & ((1u << shift) - 1), middle = 1u << (shift - 1), kept = fraction >> shift;
    return kept + (rest > middle || (rest == middle && (kept & 1)));
}

uint16_t tips__float_to_half(float value) {
    const uint32_t bits = to_bits(value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    const uint32_t fraction = (rest & 0x7fffff) | 0x800000;
    const int exponent = (int)(rest >> 23) - 112;
    if (rest > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (exponent >= 31) return (uint16_t)(sign | 0x7c00);
    if (exponent <= -11) return (uint16_t)sign;
    if (exponent <= 0) return (uint16_t)(sign | shift_rounded(fraction, (uint32_t)(14 - exponent)));
    /* The leading one adds 1 to the exponent, and so does a carry of the rounding. */
    return (uint16_t)(sign | (((uint32_t)(exponent - 1) << 10) + shift_rounded(fraction, 13)));
}
