/* From an image to the input of a network: the largest middle part of the right shape, resampled bilinearly. */
#include "image/image_read.h"

#include <math.h>

typedef struct window {
    double top, left, height, width;
} window;

static window middle(const tips_image *image, int h, int w) {
    window m = {.height = image->h, .width = image->w};
    if ((double)image->w * h > (double)image->h * w) m.width = (double)image->h * w / h;
    else m.height = (double)image->w * h / w;
    m.top = (image->h - m.height) / 2;
    m.left = (image->w - m.width) / 2;
    return m;
}

static double sample(const tips_image *image, int channel, int y, int x) {
    y = y < 0 ? 0 : y >= image->h ? image->h - 1 : y;
    x = x < 0 ? 0 : x >= image->w ? image->w - 1 : x;
    const uint8_t *pixel = image->pixels + ((size_t)y * (size_t)image->w + (size_t)x) * (size_t)image->c;
    if (image->c == 1) return pixel[0] / 255.0;
    if (channel < 0) return (0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]) / 255.0;
    return pixel[channel % 3] / 255.0;
}

static double bilinear(const tips_image *image, int channel, double y, double x) {
    const int i = (int)floor(y), j = (int)floor(x);
    const double v = y - i, u = x - j;
    return (1 - v) * ((1 - u) * sample(image, channel, i, j) + u * sample(image, channel, i, j + 1)) +
           v * ((1 - u) * sample(image, channel, i + 1, j) + u * sample(image, channel, i + 1, j + 1));
}

void tips__image_fit(const tips_image *image, int c, int h, int w, float *chw) {
    const window m = middle(image, h, w);
    for (int channel = 0; channel < c; channel++)
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                *chw++ = (float)bilinear(image, c == 1 ? -1 : channel, m.top + (i + 0.5) * m.height / h - 0.5,
                                         m.left + (j + 0.5) * m.width / w - 0.5);
}
