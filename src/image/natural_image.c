/* A natural-like image: smooth noise of every scale with amplitude proportional to the scale (power about 1/f^2), a few
 * discs and a half-plane with sharp edges, and a little noise at each pixel as a sensor adds it. */
#include "image/natural_image.h"

#include "core/rng.h"
#include "core/threads.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { SHAPES = 6, OCTAVES = 7, LATTICE = (1 << (OCTAVES - 1)) + 2 };
enum { STREAM_OCTAVE = 1, STREAM_SHAPE = 100, STREAM_COLOUR = 200, STREAM_PIXEL = 300 };

typedef struct shape {
    double y, x, radius, slope_y, slope_x; /* a disc, or a half-plane where the radius is negative */
} shape;

static shape draw_shape(uint64_t seed, int i) {
    const tips_rng rng = {seed, tips__rng_mix(STREAM_SHAPE, (uint64_t)i)};
    const double angle = 6.283185307179586 * tips__rng_uniform(rng, 3);
    const double radius = i == 0 ? -1 : 0.08 + 0.25 * tips__rng_uniform(rng, 2);
    return (shape){tips__rng_uniform(rng, 0), tips__rng_uniform(rng, 1), radius, sin(angle), cos(angle)};
}

static bool is_inside(const shape *s, double y, double x) {
    const double dy = y - s->y, dx = x - s->x;
    return s->radius < 0 ? dy * s->slope_y + dx * s->slope_x > 0 : dy * dy + dx * dx < s->radius * s->radius;
}

typedef struct plane {
    uint64_t seed;
    int h, w, longest;
    float *data; /* (h, w) */
} plane;

static double smooth(double t) { return t * t * (3 - 2 * t); }

/* Adds one octave: normal values on a lattice of 2^octave cells, blended smoothly. */
static void add_octave(const plane *p, int octave, int layer, double amplitude) {
    double lattice[LATTICE][LATTICE];
    const tips_rng rng = {p->seed, tips__rng_mix(STREAM_OCTAVE + (uint64_t)octave, (uint64_t)layer)};
    const int cells = 1 << octave;
    for (int i = 0; i <= cells; i++)
        for (int j = 0; j <= cells; j++) lattice[i][j] = tips__rng_normal(rng, (uint64_t)(i * LATTICE + j));
    for (int y = 0; y < p->h; y++) {
        const double row = (double)y * cells / p->longest, v = smooth(row - floor(row));
        const double *top = lattice[(int)row], *bottom = lattice[(int)row + 1];
        for (int x = 0; x < p->w; x++) {
            const double column = (double)x * cells / p->longest, u = smooth(column - floor(column));
            const int j = (int)column;
            const double above = (1 - u) * top[j] + u * top[j + 1], below = (1 - u) * bottom[j] + u * bottom[j + 1];
            p->data[(ptrdiff_t)y * p->w + x] += (float)(amplitude * ((1 - v) * above + v * below));
        }
    }
}

/* Brightness is layer 0, shared by all channels; each channel adds a weaker layer of its own. */
static void add_octaves(const plane *p, int channel) {
    for (int octave = 0; octave < OCTAVES && 1 << octave < p->longest; octave++) {
        const double amplitude = 0.16 / (1 << octave);
        add_octave(p, octave, 0, amplitude);
        add_octave(p, octave, channel + 1, 0.5 * amplitude);
    }
}

static void add_shape(const plane *p, int channel, int i) {
    const shape s = draw_shape(p->seed, i);
    const tips_rng colour = {p->seed, tips__rng_mix(STREAM_COLOUR, (uint64_t)i)};
    const double step = 0.25 * (tips__rng_uniform(colour, (uint64_t)channel) - 0.5);
    for (int y = 0; y < p->h; y++)
        for (int x = 0; x < p->w; x++)
            if (is_inside(&s, (double)y / p->longest, (double)x / p->longest))
                p->data[(ptrdiff_t)y * p->w + x] += (float)step;
}

static void finish(const plane *p, int channel) {
    const tips_rng noise = {p->seed, tips__rng_mix(STREAM_PIXEL, (uint64_t)channel)};
    for (ptrdiff_t i = 0; i < (ptrdiff_t)p->h * p->w; i++) {
        const double value = p->data[i] + 0.01 * tips__rng_normal(noise, (uint64_t)i);
        p->data[i] = (float)fmin(fmax(value, 0), 1);
    }
}

void tips__natural_image(uint64_t seed, int c, int h, int w, float *chw) {
    TIPS_PARALLEL_FOR (channel, c) {
        const plane p = {
            .seed = seed, .h = h, .w = w, .longest = h > w ? h : w, .data = chw + (ptrdiff_t)channel * h * w};
        for (ptrdiff_t i = 0; i < (ptrdiff_t)h * w; i++) p.data[i] = 0.5f;
        add_octaves(&p, channel);
        for (int i = 0; i < SHAPES; i++) add_shape(&p, channel, i);
        finish(&p, channel);
    }
}
