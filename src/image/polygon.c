/* Row by row: where the outline crosses the middle of a row, sorted, every second stretch is inside, from the nearest
 * pixel to the nearest. Edges along a row and corners are drawn besides, as they may not be crossed. */
#include "image/polygon.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct edge {
    double x[2], y[2];
} edge;

static edge edge_of(const double *points, int n, int i) {
    const double *a = points + (ptrdiff_t)2 * i, *b = points + (ptrdiff_t)2 * (i + 1 < n ? i + 1 : 0);
    return (edge){{a[0], b[0]}, {a[1], b[1]}};
}

static int compare(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

static double limit(double at, double low, double high) { return fmin(fmax(at, low), high); }

/* Of two columns that are equally near, the inner one. */
static void fill_stretch(tips_image *image, int y, double low, double high, uint8_t value) {
    const int first = (int)limit(floor(low + 0.5), 0, image->w), last = (int)limit(ceil(high - 0.5), -1, image->w - 1);
    if (last >= first) memset(image->pixels + (ptrdiff_t)y * image->w + first, value, (size_t)(last - first + 1));
}

/* A corner on the middle of a row counts for the edge below it alone. */
static int cross_row(const double *points, int n, int y, double *crossings) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        const edge e = edge_of(points, n, i);
        if ((e.y[0] <= y) == (e.y[1] <= y)) continue;
        crossings[count++] = e.x[0] + (y - e.y[0]) * (e.x[1] - e.x[0]) / (e.y[1] - e.y[0]);
    }
    qsort(crossings, (size_t)count, sizeof *crossings, compare);
    return count;
}

/* The first corner of an edge, and all of it if it lies along a row. */
static void draw_corner(edge e, uint8_t value, tips_image *image) {
    const double y = floor(e.y[0] + 0.5), to = e.y[0] == e.y[1] ? e.x[1] : e.x[0];
    if (y < 0 || y >= image->h) return;
    const double low = fmin(e.x[0], to), high = fmax(e.x[0], to);
    fill_stretch(image, (int)y, low, low < high ? high : floor(high + 0.5), value);
}

tips_status tips__polygon_fill(const double *points, int n, uint8_t value, tips_image *image) {
    double *crossings, top = HUGE_VAL, bottom = -HUGE_VAL;
    if (n < 3) return TIPS_OK;
    TIPS_TRY(tips__new(&crossings, (size_t)n * sizeof *crossings, "a polygon"));
    for (int i = 0; i < n; i++) {
        top = fmin(top, points[2 * i + 1]);
        bottom = fmax(bottom, points[2 * i + 1]);
    }
    const int first = (int)limit(ceil(top), 0, image->h), last = (int)limit(floor(bottom), -1, image->h - 1);
    for (int y = first; y <= last; y++) {
        const int count = cross_row(points, n, y, crossings);
        for (int i = 0; i + 1 < count; i += 2) fill_stretch(image, y, crossings[i], crossings[i + 1], value);
    }
    for (int i = 0; i < n; i++) draw_corner(edge_of(points, n, i), value, image);
    tips__free(crossings);
    return TIPS_OK;
}
