/* From bytes to planes, and from planes to a network's input. */
#include "image/planes.h"

#include <stddef.h>

void tips__canvas_to_planes(const tips_preprocess *p, const uint8_t *canvas, float *planes) {
    const size_t plane = (size_t)p->height * (size_t)p->width, c = (size_t)p->channels;
    for (size_t k = 0; k < c; k++)
        for (size_t i = 0; i < plane; i++) *planes++ = (float)canvas[i * c + k] / 255.0f;
}

static int from(int at, int shift, int n, bool circular) {
    const int i = at - shift;
    if (!circular) return i >= 0 && i < n ? i : -1;
    return ((i % n) + n) % n;
}

void tips__planes_to_input(const tips_preprocess *p, const float *planes, int dy, int dx, bool circular, float *out) {
    const ptrdiff_t plane = (ptrdiff_t)p->height * p->width;
    for (int k = 0; k < p->channels; k++) {
        const float *at = planes + tips__plane_of(p, k) * plane;
        for (int y = 0; y < p->height; y++) {
            const int row = from(y, dy, p->height, circular);
            for (int x = 0; x < p->width; x++) {
                const int column = from(x, dx, p->width, circular);
                const float value = row < 0 || column < 0 ? 0 : at[(ptrdiff_t)row * p->width + column];
                *out++ = (value - p->mean[k]) / p->std[k];
            }
        }
    }
}
