/* Parameters from PyTorch's order to the layouts the kernels want, and back. */
#include "core/threads.h"
#include "engine/engine.h"
#include "graph/params_parts.h"

#include <string.h>

/* One filter for each channel, [C/B][kh][kw][B]: of a single channel too, which the engine's convolutions lay out
 * densely. */
static size_t depthwise_place(const tips_param_spec *s, int c, int tap) {
    const int taps = s->dims[2] * s->dims[3], block = tips__block();
    return ((size_t)(c / block) * (size_t)taps + (size_t)tap) * (size_t)block + (size_t)(c % block);
}

/* Vectors of the pixels of a map, one after the other. */
static size_t token_place(const tips_param_spec *s, int token, int c) {
    const int block = tips__block();
    return ((size_t)(c / block) * (size_t)s->dims[1] + (size_t)token) * (size_t)block + (size_t)(c % block);
}

size_t tips__param_floats(const tips_param_spec *s) {
    switch (s->layout) {
    case TIPS_VECTOR: return (size_t)tips__padded(s->dims[0]);
    case TIPS_MATRIX: return (size_t)s->dims[1] * (size_t)tips__padded(s->dims[0]);
    case TIPS_CONV:
        return tips__conv_weight_floats(s->dims[0], s->dims[1] * s->groups, s->dims[2], s->dims[3], s->groups);
    case TIPS_DEPTHWISE: return (size_t)tips__padded(s->dims[0]) * (size_t)s->dims[2] * (size_t)s->dims[3];
    case TIPS_TOKENS: return (size_t)tips__padded(s->dims[2]) * (size_t)s->dims[1];
    }
    return 0;
}

/* So many weights are laid out in less time than it takes to wake other threads. */
enum { FEW_WEIGHTS = 1 << 14 };

static void pack_block(const tips_param_spec *s, int b, const float *plain, float *stored) {
    const int in = s->dims[1], kh = s->dims[2], kw = s->dims[3], block = tips__padded(1);
    const int left = s->dims[0] - b * block;
    const size_t from = (size_t)block * (size_t)in * (size_t)kh * (size_t)kw;
    const size_t to = tips__conv_weight_floats(block, in, kh, kw, 1);
    tips__conv_weights_pack(left < block ? left : block, in, kh, kw, 1, plain + (size_t)b * from,
                            stored + (size_t)b * to);
}

/* Blocks of outputs lie one behind the other, so that each is a convolution of its own; but not those of groups. */
static void pack_conv(const tips_param_spec *s, const float *plain, float *stored) {
    const int out = s->dims[0], in = s->dims[1] * s->groups, kh = s->dims[2], kw = s->dims[3];
    if (s->groups > 1) {
        tips__conv_weights_pack(out, in, kh, kw, s->groups, plain, stored);
        return;
    }
    if (tips__param_elements(s) <= FEW_WEIGHTS) {
        for (int b = 0; b < tips__blocks(out); b++) pack_block(s, b, plain, stored);
        return;
    }
    TIPS_PARALLEL_FOR (b, tips__blocks(out)) pack_block(s, b, plain, stored);
}

void tips__param_pack(const tips_param_spec *s, const float *plain, float *stored) {
    const int padded = tips__padded(s->dims[0]);
    if (s->layout != TIPS_CONV) memset(stored, 0, tips__param_floats(s) * sizeof(float));
    switch (s->layout) {
    case TIPS_VECTOR: memcpy(stored, plain, (size_t)s->dims[0] * sizeof(float)); break;
    case TIPS_MATRIX:
        for (int o = 0; o < s->dims[0]; o++)
            for (int i = 0; i < s->dims[1]; i++)
                stored[(ptrdiff_t)i * padded + o] = plain[(ptrdiff_t)o * s->dims[1] + i];
        break;
    case TIPS_CONV: pack_conv(s, plain, stored); break;
    case TIPS_DEPTHWISE:
        for (int c = 0; c < s->dims[0]; c++)
            for (int t = 0; t < s->dims[2] * s->dims[3]; t++) stored[depthwise_place(s, c, t)] = *plain++;
        break;
    case TIPS_TOKENS:
        for (int t = 0; t < s->dims[1]; t++)
            for (int c = 0; c < s->dims[2]; c++) stored[token_place(s, t, c)] = *plain++;
        break;
    }
}

void tips__param_unpack(const tips_param_spec *s, const float *stored, float *plain) {
    const int padded = tips__padded(s->dims[0]);
    switch (s->layout) {
    case TIPS_VECTOR: memcpy(plain, stored, (size_t)s->dims[0] * sizeof(float)); break;
    case TIPS_MATRIX:
        for (int o = 0; o < s->dims[0]; o++)
            for (int i = 0; i < s->dims[1]; i++)
                plain[(ptrdiff_t)o * s->dims[1] + i] = stored[(ptrdiff_t)i * padded + o];
        break;
    case TIPS_CONV:
        tips__conv_weights_unpack(s->dims[0], s->dims[1] * s->groups, s->dims[2], s->dims[3], s->groups, stored, plain);
        break;
    case TIPS_DEPTHWISE:
        for (int c = 0; c < s->dims[0]; c++)
            for (int t = 0; t < s->dims[2] * s->dims[3]; t++) *plain++ = stored[depthwise_place(s, c, t)];
        break;
    case TIPS_TOKENS:
        for (int t = 0; t < s->dims[1]; t++)
            for (int c = 0; c < s->dims[2]; c++) *plain++ = stored[token_place(s, t, c)];
        break;
    }
}
