/* Mixing the pictures of a batch. */
#include "data/mixing.h"

#include "core/rng_beta.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { STREAM_KIND = 0x4d4b, STREAM_SHARE = 0x4d53, STREAM_PLACE = 0x4d50 };

static tips_rng stream(tips_rng rng, int purpose, int i) {
    return (tips_rng){rng.seed, tips__rng_mix(rng.stream, tips__rng_mix((uint64_t)purpose, (uint64_t)i))};
}

static void blend(const float *a, const float *b, size_t count, float share, float *out) {
    for (size_t k = 0; k < count; k++) out[k] = share * a[k] + (1 - share) * b[k];
}

static int within(double value, int most) { return value < 0 ? 0 : value > most ? most : (int)value; }

/* `from` and `to` of a stretch of 0..size whose length is the given part of it, cut off at the ends. */
static void place(tips_rng rng, int axis, int size, double part, int range[2]) {
    const int middle = (int)tips__rng_below(rng, (uint64_t)axis, (uint32_t)size);
    const double half = 0.5 * part * size;
    range[0] = within(floor(middle - half), size);
    range[1] = within(floor(middle + half), size);
}

/* Returns the share of `a` that is left. */
static float cut(tips_rng rng, double share, const int shape[4], const float *a, const float *b, float *out) {
    const int c = shape[1], h = shape[2], w = shape[3];
    int rows[2], columns[2];
    place(rng, 0, h, sqrt(1 - share), rows);
    place(rng, 1, w, sqrt(1 - share), columns);
    memcpy(out, a, (size_t)c * (size_t)h * (size_t)w * sizeof *out);
    for (int k = 0; k < c; k++)
        for (int y = rows[0]; y < rows[1]; y++) {
            const size_t at = ((size_t)k * (size_t)h + (size_t)y) * (size_t)w + (size_t)columns[0];
            memcpy(out + at, b + at, (size_t)(columns[1] - columns[0]) * sizeof *out);
        }
    return 1 - (float)((rows[1] - rows[0]) * (columns[1] - columns[0])) / (float)(h * w);
}

static bool draws_cut(const tips_mixing *mixing, tips_rng rng) {
    if (mixing->mixup > 0 && mixing->cutmix > 0) return tips__rng_below(stream(rng, STREAM_KIND, 0), 0, 2);
    return mixing->cutmix > 0;
}

void tips__mix(const tips_mixing *mixing, tips_rng rng, const int shape[4], const float *images, float *out,
               float *shares) {
    const size_t one = (size_t)shape[1] * (size_t)shape[2] * (size_t)shape[3];
    const bool cuts = draws_cut(mixing, rng);
    for (int i = 0; i < shape[0]; i++) {
        const float *a = images + (size_t)i * one;
        const float *b = images + (size_t)tips__mixing_partner(i, shape[0]) * one;
        const double share = tips__rng_beta(stream(rng, STREAM_SHARE, i), cuts ? mixing->cutmix : mixing->mixup);
        shares[i] = (float)share;
        if (cuts) shares[i] = cut(stream(rng, STREAM_PLACE, i), share, shape, a, b, out + (size_t)i * one);
        else blend(a, b, one, shares[i], out + (size_t)i * one);
    }
}
