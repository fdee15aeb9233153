/* Pictures for a conversion, drawn from a seed. */
#include "convert/convert_picture.h"

#include "image/natural_image.h"

void tips__convert_picture(const tips_value_info *info, const tips_convert_input *input, int picture, float *out) {
    const size_t plane = (size_t)info->h * (size_t)info->w;
    tips__natural_image((uint64_t)picture + 1, info->c, info->h, info->w, out);
    for (int c = 0; c < info->c; c++)
        for (size_t i = 0; i < plane; i++) {
            const int channel = c < 3 ? c : 2;
            out[(size_t)c * plane + i] = (out[(size_t)c * plane + i] - input->mean[channel]) / input->std[channel];
        }
}
