/* Filters that several corruptions use. */
#include "corrupt/corrupt_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a line that goes on beyond its ends: `line` has room for n + 2 radius. */
static void extend(const double *from, ptrdiff_t step, int n, int radius, tips_beyond rule, double *line) {
    for (int i = -radius; i < n + radius; i++) line[i + radius] = from[tips__beyond(rule, i, n) * step];
}

static void filter_line(double *at, ptrdiff_t step, int n, const double *weights, int radius, tips_beyond rule,
                        double *line) {
    extend(at, step, n, radius, rule, line);
    for (int i = 0; i < n; i++) {
        double sum = line[i + radius] * weights[0];
        for (int k = 1; k <= radius; k++) sum += weights[k] * (line[i + radius - k] + line[i + radius + k]);
        at[i * step] = sum;
    }
}

/* weights[k] belongs to k pixels away on either side. */
static void gaussian_weights(double sigma, int radius, double *weights) {
    double sum = 0;
    for (int k = 0; k <= radius; k++) {
        weights[k] = exp(-0.5 * k * k / (sigma * sigma));
        sum += k ? 2 * weights[k] : weights[k];
    }
    for (int k = 0; k <= radius; k++) weights[k] /= sum;
}

tips_status tips__gaussian_filter(double *plane, int h, int w, double sigma, double truncate, tips_beyond rule) {
    const int radius = (int)(truncate * sigma + 0.5), longest = h > w ? h : w;
    double *weights;
    if (radius == 0) return TIPS_OK;
    TIPS_TRY(tips__new(&weights, (size_t)(radius + 1 + longest + 2 * radius) * sizeof *weights, "a filter"));
    double *line = weights + radius + 1;
    gaussian_weights(sigma, radius, weights);
    for (int x = 0; x < w; x++) filter_line(plane + x, w, h, weights, radius, rule, line);
    for (int y = 0; y < h; y++) filter_line(plane + (ptrdiff_t)y * w, 1, w, weights, radius, rule, line);
    tips__free(weights);
    return TIPS_OK;
}

/* One axis of an enlargement: the part that is taken, how large it becomes, and what is cut off in front. */
typedef struct zoom_axis {
    int first, taken, made, cut;
} zoom_axis;

static zoom_axis axis_of(int n, double factor) {
    zoom_axis a = {.taken = (int)ceil(n / factor)};
    a.first = (n - a.taken) / 2;
    a.made = (int)nearbyint(a.taken * factor); /* halves to even */
    a.cut = (a.made - n) / 2;
    return a;
}

/* Where place i of the result lies in the part, as a pixel and the share of the next one. */
static int place_of(const zoom_axis *a, int i, double *share) {
    const double at = a->made > 1 ? (i + a->cut) * ((a->taken - 1.0) / (a->made - 1.0)) : 0;
    int low = (int)at;
    if (low > a->taken - 2) low = a->taken > 1 ? a->taken - 2 : 0;
    *share = a->taken > 1 ? at - low : 0;
    return a->first + low;
}

tips_status tips__clipped_zoom(const double *plane, int h, int w, double factor, double *out) {
    const zoom_axis rows = axis_of(h, factor), columns = axis_of(w, factor);
    const ptrdiff_t down = rows.taken > 1 ? w : 0, right = columns.taken > 1;
    for (int y = 0; y < h; y++) {
        double b, a;
        const double *row = plane + (ptrdiff_t)place_of(&rows, y, &b) * w;
        for (int x = 0; x < w; x++) {
            const double *at = row + place_of(&columns, x, &a);
            out[(ptrdiff_t)y * w + x] =
                (1 - b) * ((1 - a) * at[0] + a * at[right]) + b * ((1 - a) * at[down] + a * at[down + right]);
        }
    }
    return TIPS_OK;
}

static void add_moved(const double *plane, int h, int w, int dy, int dx, double weight, double *sum) {
    for (int y = 0; y < h; y++) {
        const double *row = plane + (ptrdiff_t)tips__beyond(TIPS_BEYOND_NEAREST, y - dy, h) * w;
        for (int x = 0; x < w; x++)
            sum[(ptrdiff_t)y * w + x] += weight * row[tips__beyond(TIPS_BEYOND_NEAREST, x - dx, w)];
    }
}

tips_status tips__motion_blur(double *plane, int h, int w, int radius, double sigma, double angle) {
    const double turn = angle * acos(-1) / 180, size[2] = {sin(turn), cos(turn)};
    const size_t count = (size_t)h * (size_t)w;
    double *sum, total = 0;
    TIPS_TRY(tips__new_zero(&sum, count * sizeof *sum, "a blurred picture"));
    for (int i = 0; i <= 2 * radius; i++) total += exp(-0.5 * i * i / (sigma * sigma));
    for (int i = 0; i <= 2 * radius; i++) {
        const int dy = -(int)ceil(i * size[0] - 0.5), dx = -(int)ceil(i * size[1] - 0.5);
        if (abs(dy) >= h || abs(dx) >= w) break; /* beyond the picture */
        add_moved(plane, h, w, dy, dx, exp(-0.5 * i * i / (sigma * sigma)) / total, sum);
    }
    memcpy(plane, sum, count * sizeof *sum);
    tips__free(sum);
    return TIPS_OK;
}
