/* Parameters from PyTorch's order to the layouts the kernels want, and back. */
#include "engine/engine.h"
#include "graph/params_parts.h"

#include <string.h>

size_t tips__param_floats(const tips_param_spec *s) {
    switch (s->layout) {
    case TIPS_VECTOR: return (size_t)tips__padded(s->dims[0]);
    case TIPS_MATRIX: return (size_t)s->dims[1] * (size_t)tips__padded(s->dims[0]);
    case TIPS_CONV:
        return tips__conv_weight_floats(s->dims[0], s->dims[1] * s->groups, s->dims[2], s->dims[3], s->groups);
    case TIPS_DEPTHWISE: return tips__conv_weight_floats(s->dims[0], s->dims[0], s->dims[2], s->dims[3], s->dims[0]);
    }
    return 0;
}

void tips__param_pack(const tips_param_spec *s, const float *plain, float *stored) {
    memset(stored, 0, tips__param_floats(s) * sizeof(float));
    switch (s->layout) {
    case TIPS_VECTOR: memcpy(stored, plain, (size_t)s->dims[0] * sizeof(float)); break;
    case TIPS_MATRIX:
        for (int o = 0; o < s->dims[0]; o++)
            for (int i = 0; i < s->dims[1]; i++)
                stored[(ptrdiff_t)i * tips__padded(s->dims[0]) + o] = plain[(ptrdiff_t)o * s->dims[1] + i];
        break;
    case TIPS_CONV:
        tips__conv_weights_pack(s->dims[0], s->dims[1] * s->groups, s->dims[2], s->dims[3], s->groups, plain, stored);
        break;
    case TIPS_DEPTHWISE:
        tips__conv_weights_pack(s->dims[0], s->dims[0], s->dims[2], s->dims[3], s->dims[0], plain, stored);
        break;
    }
}

void tips__param_unpack(const tips_param_spec *s, const float *stored, float *plain) {
    switch (s->layout) {
    case TIPS_VECTOR: memcpy(plain, stored, (size_t)s->dims[0] * sizeof(float)); break;
    case TIPS_MATRIX:
        for (int o = 0; o < s->dims[0]; o++)
            for (int i = 0; i < s->dims[1]; i++)
                plain[(ptrdiff_t)o * s->dims[1] + i] = stored[(ptrdiff_t)i * tips__padded(s->dims[0]) + o];
        break;
    case TIPS_CONV:
        tips__conv_weights_unpack(s->dims[0], s->dims[1] * s->groups, s->dims[2], s->dims[3], s->groups, stored, plain);
        break;
    case TIPS_DEPTHWISE:
        tips__conv_weights_unpack(s->dims[0], s->dims[0], s->dims[2], s->dims[3], s->dims[0], stored, plain);
        break;
    }
}
