/* Maps side by side. */
#include "train/undo_strip.h"

#include "core/fail.h"
#include "core/memory.h"
#include "image/image_write.h"

#include <math.h>
#include <string.h>

enum { ROWS = 4, COLUMNS = 4, LEAST_SIDE = 64, GAP = 2 };

static double variance_of(const tips_undo_maps *m, int c) {
    const int area = m->h * m->w;
    double sum = 0, square = 0;
    for (int n = 0; n < m->n; n++) {
        const float *plane = m->x + ((ptrdiff_t)n * m->c + c) * area;
        for (int i = 0; i < area; i++) sum += plane[i], square += (double)plane[i] * plane[i];
    }
    const double count = (double)m->n * area;
    return square / count - sum / count * (sum / count);
}

/* The first of those that vary alike. Returns how many there are. */
static int choose_channels(const tips_undo_maps *m, int chosen[ROWS]) {
    double best[ROWS];
    int count = 0;
    for (int c = 0; c < m->c; c++) {
        const double variance = variance_of(m, c);
        int at = count < ROWS ? count++ : ROWS;
        for (; at > 0 && variance > best[at - 1]; at--)
            if (at < ROWS) best[at] = best[at - 1], chosen[at] = chosen[at - 1];
        if (at < ROWS) best[at] = variance, chosen[at] = c;
    }
    return count;
}

/* What lies at a pixel of a column: x, x^t, psi, the difference of the last two. */
static double value_at(const tips_undo_maps *m, int c, int column, int y, int x) {
    const ptrdiff_t first = (ptrdiff_t)c * m->h * m->w, at = first + (ptrdiff_t)y * m->w + x;
    const double moved = tips__undo_shifted(m, m->x + first, m->most, y, x);
    const double all[COLUMNS] = {m->x[at], moved, m->psi[at], fabs(moved - m->psi[at])};
    return all[column];
}

typedef struct scale {
    double low, high;
} scale;

static scale scale_of(const tips_undo_maps *m, const int *channels, int rows) {
    scale s = {0, 0};
    for (int i = 0; i < rows * COLUMNS * m->h * m->w; i++) {
        const int pixel = i % (m->h * m->w), cell = i / (m->h * m->w);
        const double v = value_at(m, channels[cell / COLUMNS], cell % COLUMNS, pixel / m->w, pixel % m->w);
        s.low = fmin(s.low, v), s.high = fmax(s.high, v);
    }
    if (!(s.high > s.low)) s.high = s.low + 1;
    return s;
}

static void draw(const tips_undo_maps *m, const int *channels, int rows, int zoom, tips_image *to) {
    const scale s = scale_of(m, channels, rows);
    const int high = m->h * zoom, wide = m->w * zoom;
    for (int cell = 0; cell < rows * COLUMNS; cell++)
        for (int i = 0; i < high * wide; i++) {
            const int y = i / wide, x = i % wide, row = cell / COLUMNS, column = cell % COLUMNS;
            const double v = value_at(m, channels[row], column, y / zoom, x / zoom);
            const int place = (row * (high + GAP) + y) * to->w + column * (wide + GAP) + x;
            to->pixels[place] = (uint8_t)lround(255 * (v - s.low) / (s.high - s.low));
        }
}

tips_status tips__undo_strip(const tips_undo_maps *m, const char *path) {
    int channels[ROWS] = {0};
    const int rows = choose_channels(m, channels), side = m->h > m->w ? m->h : m->w;
    const int zoom = side < LEAST_SIDE ? LEAST_SIDE / side : 1;
    tips_image image = {rows * (m->h * zoom + GAP) - GAP, COLUMNS * (m->w * zoom + GAP) - GAP, 1, NULL};
    const size_t size = (size_t)image.h * (size_t)image.w;
    TIPS_TRY(tips__new(&image.pixels, size, "a picture of maps"));
    memset(image.pixels, 255, size);
    draw(m, channels, rows, zoom, &image);
    const tips_status status = tips__image_write_png(path, &image);
    tips__free(image.pixels);
    return status == TIPS_UNSUPPORTED ? TIPS_OK : status;
}
