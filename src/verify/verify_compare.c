/* Counting the bits in which two maps differ, one of them circularly shifted. */
#include "verify/verify_parts.h"

#include <math.h>
#include <string.h>

static int wrapped(int i, int n) {
    const int r = i % n;
    return r < 0 ? r + n : r;
}

static void add_float(const unsigned char *a, const unsigned char *b, verify_difference *d) {
    uint32_t x, y;
    float p, q;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (x == y) return;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    const double error = fabs((double)p - (double)q);
    d->bits += (uint64_t)__builtin_popcount(x ^ y);
    if (!(error <= d->error)) d->error = isnan(error) ? INFINITY : error;
}

static void add_double(const unsigned char *a, const unsigned char *b, verify_difference *d) {
    uint64_t x, y;
    double p, q;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    if (x == y) return;
    memcpy(&p, a, sizeof p);
    memcpy(&q, b, sizeof q);
    const double error = fabs(p - q);
    d->bits += (uint64_t)__builtin_popcountll(x ^ y);
    if (!(error <= d->error)) d->error = isnan(error) ? INFINITY : error;
}

/* A run of pixels of one plane; lanes beyond the last channel do not count. */
static void add_pixels(const verify_view *v, int plane, const unsigned char *a, const unsigned char *b, int pixels,
                       verify_difference *d) {
    if (memcmp(a, b, (size_t)pixels * v->pixel) == 0) return;
    const int left = v->c - plane * v->lanes, lanes = left < v->lanes ? left : v->lanes;
    for (int x = 0; x < pixels; x++, a += v->pixel, b += v->pixel)
        for (int lane = 0; lane < lanes; lane++) {
            if (v->is_double) add_double(a + lane * sizeof(double), b + lane * sizeof(double), d);
            else add_float(a + lane * sizeof(float), b + lane * sizeof(float), d);
        }
}

verify_difference tips__verify_compare(const verify_view *base, int b, const verify_view *view, int m, const int u[2]) {
    verify_difference d = {0};
    const int down = wrapped(u[0], view->h), right = wrapped(u[1], view->w);
    for (int plane = 0; plane < view->planes; plane++) {
        const unsigned char *from = base->data + (size_t)b * base->map + (size_t)plane * base->plane;
        const unsigned char *to = view->data + (size_t)m * view->map + (size_t)plane * view->plane;
        for (int y = 0; y < view->h; y++) {
            const unsigned char *p = from + (size_t)wrapped(y - down, view->h) * base->row,
                                *q = to + (size_t)y * view->row;
            add_pixels(view, plane, p, q + (size_t)right * view->pixel, view->w - right, &d);
            add_pixels(view, plane, p + (size_t)(view->w - right) * base->pixel, q, right, &d);
        }
    }
    return d;
}

static double number_at(const verify_view *v, const unsigned char *pixel, int lane) {
    if (v->is_double) {
        double value;
        memcpy(&value, pixel + (size_t)lane * sizeof value, sizeof value);
        return value;
    }
    float value;
    memcpy(&value, pixel + (size_t)lane * sizeof value, sizeof value);
    return value;
}

double tips__verify_number(const verify_view *v, int map, int channel, int y, int x) {
    const unsigned char *pixel = v->data + (size_t)map * v->map + (size_t)(channel / v->lanes) * v->plane +
                                 (size_t)y * v->row + (size_t)x * v->pixel;
    return number_at(v, pixel, channel % v->lanes);
}

/* Calls `use` for the numbers of the first maps. */
typedef void (*number_fn)(double value, void *context);

static void each_number(const verify_view *v, int maps, number_fn use, void *context) {
    for (int m = 0; m < maps; m++)
        for (int c = 0; c < v->c; c++) {
            const unsigned char *plane = v->data + (size_t)m * v->map + (size_t)(c / v->lanes) * v->plane;
            for (int y = 0; y < v->h; y++)
                for (int x = 0; x < v->w; x++)
                    use(number_at(v, plane + (size_t)y * v->row + (size_t)x * v->pixel, c % v->lanes), context);
        }
}

static void keep_largest(double value, void *context) {
    double *largest = context;
    const double size = fabs(value);
    if (size > *largest) *largest = size; /* GCC 12.2 for ARM64 breaks off at fmax of floats as doubles */
}

double tips__verify_largest(const verify_view *v, int maps) {
    double largest = 0;
    each_number(v, maps, keep_largest, &largest);
    return largest;
}

static void keep_strange(double value, void *context) {
    double *strange = context;
    if (isnan(value) || (isinf(value) && !isnan(*strange))) *strange = value;
}

double tips__verify_strange(const verify_view *v, int maps) {
    double strange = 0;
    each_number(v, maps, keep_strange, &strange);
    return strange;
}
