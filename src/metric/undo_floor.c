/* L_undo of maps at hand: channels one by one. */
#include "metric/undo_floor.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "tensor/pad.h"

#include <math.h>
#include <string.h>

enum { TAPS = 9 };
static const double ridge_part = 1e-6; /* of the mean square of the taps */

void tips__undo_draw(const tips_undo_maps *m, tips_rng rng, int n, int shift[2]) {
    for (int axis = 0; axis < 2; axis++)
        shift[axis] = (int)tips__rng_below(rng, 2 * (uint64_t)n + (uint64_t)axis, (uint32_t)m->most[axis] + 1);
}

float tips__undo_shifted(const tips_undo_maps *m, const float *plane, const int shift[2], int y, int x) {
    return y < shift[0] || x < shift[1] ? 0 : plane[(ptrdiff_t)(y - shift[0]) * m->w + x - shift[1]];
}

/* Sums over one channel: of all pictures and pixels. */
typedef struct sums {
    double abs, variance, gap;                      /* |psi - x^t|, V, (M - psi)^2 */
    double gram[TAPS][TAPS], product[TAPS], square; /* taps times taps, taps times M, M^2 */
} sums;

/* Running sums over the last `most` + 1 of a line of `count` numbers, `step` apart. */
static void add_up(double *line, int count, int step, int most) {
    for (int i = count - 1; i >= 0; i--) {
        double sum = 0;
        for (int back = 0; back <= most && back <= i; back++) sum += line[(ptrdiff_t)(i - back) * step];
        line[(ptrdiff_t)i * step] = sum;
    }
}

/* The mean over all shifts, zeros beyond the border. */
static void average(const tips_undo_maps *m, double *plane) {
    const double shifts = (double)(m->most[0] + 1) * (m->most[1] + 1);
    for (int y = 0; y < m->h; y++) add_up(plane + (ptrdiff_t)y * m->w, m->w, 1, m->most[1]);
    for (int x = 0; x < m->w; x++) add_up(plane + x, m->h, m->w, m->most[0]);
    for (int i = 0; i < m->h * m->w; i++) plane[i] /= shifts;
}

static void read_taps(const tips_undo_maps *m, const float *plane, int at, double taps[TAPS]) {
    for (int t = 0; t < TAPS; t++) {
        const int y = tips__pad_index(m->padding, at / m->w + t / 3 - 1, m->h);
        const int x = tips__pad_index(m->padding, at % m->w + t % 3 - 1, m->w);
        taps[t] = y < 0 || x < 0 ? 0 : plane[(ptrdiff_t)y * m->w + x];
    }
}

static void add_plane(const tips_undo_maps *m, tips_rng rng, int n, int c, double *mean, double *square, sums *s) {
    const ptrdiff_t area = (ptrdiff_t)m->h * m->w, first = ((ptrdiff_t)n * m->c + c) * area;
    const float *x = m->x + first, *psi = m->psi + first;
    int shift[2];
    tips__undo_draw(m, rng, n, shift);
    for (ptrdiff_t i = 0; i < area; i++) mean[i] = x[i], square[i] = (double)x[i] * x[i];
    average(m, mean);
    average(m, square);
    for (int i = 0; i < area; i++) {
        double taps[TAPS];
        s->abs += fabs((double)psi[i] - tips__undo_shifted(m, x, shift, i / m->w, i % m->w));
        s->variance += fmax(0, square[i] - mean[i] * mean[i]);
        s->gap += (mean[i] - psi[i]) * (mean[i] - psi[i]);
        read_taps(m, x, i, taps);
        for (int a = 0; a < TAPS; a++) {
            for (int b = 0; b <= a; b++) s->gram[a][b] += taps[a] * taps[b];
            s->product[a] += taps[a] * mean[i];
        }
        s->square += mean[i] * mean[i];
    }
}

/* Cholesky's factor in the lower half; false if there is none. */
static bool factorise(double a[TAPS][TAPS]) {
    for (int j = 0; j < TAPS; j++) {
        for (int k = 0; k < j; k++) a[j][j] -= a[j][k] * a[j][k];
        if (!(a[j][j] > 0)) return false;
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < TAPS; i++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    return true;
}

/* The sum of squares that the best filter leaves: (M - w taps)^2, w = (gram + lambda)^-1 product. */
static double left_over(const sums *s) {
    double a[TAPS][TAPS], w[TAPS], trace = 0, left = s->square;
    memcpy(a, s->gram, sizeof a);
    memcpy(w, s->product, sizeof w);
    for (int i = 0; i < TAPS; i++) trace += a[i][i];
    for (int i = 0; i < TAPS; i++) a[i][i] += ridge_part * trace / TAPS;
    if (!factorise(a)) return left; /* the channel is zero everywhere */
    for (int i = 0; i < TAPS; i++) {
        for (int k = 0; k < i; k++) w[i] -= a[i][k] * w[k];
        w[i] /= a[i][i];
    }
    for (int i = TAPS - 1; i >= 0; i--) {
        for (int k = i + 1; k < TAPS; k++) w[i] -= a[k][i] * w[k];
        w[i] /= a[i][i];
    }
    for (int i = 0; i < TAPS; i++) {
        left -= 2 * w[i] * s->product[i];
        for (int k = 0; k < TAPS; k++) left += w[i] * w[k] * (k <= i ? s->gram[i][k] : s->gram[k][i]);
    }
    return fmax(left, 0);
}

tips_status tips__undo_measure(const tips_undo_maps *m, tips_rng rng, tips_undo_figures *out) {
    const size_t area = (size_t)m->h * (size_t)m->w;
    const double count = (double)m->n * m->c * (double)area;
    double *room, abs = 0, variance = 0, gap = 0, left = 0;
    sums *all;
    TIPS_TRY(tips__new_zero(&all, (size_t)m->c * sizeof *all, "sums of channels"));
    const tips_status status = tips__new(&room, (size_t)tips__threads() * 2 * area * sizeof *room, "shifted maps");
    if (status != TIPS_OK) {
        tips__free(all);
        return status;
    }
    TIPS_PARALLEL_FOR (c, m->c) {
        double *mine = room + (size_t)omp_get_thread_num() * 2 * area;
        for (int n = 0; n < m->n; n++) add_plane(m, rng, n, c, mine, mine + area, &all[c]);
    }
    for (int c = 0; c < m->c; c++) {
        abs += all[c].abs, variance += all[c].variance, gap += all[c].gap;
        left += left_over(&all[c]);
    }
    tips__free(room);
    tips__free(all);
    *out = (tips_undo_figures){abs / count, (variance + gap) / count, variance / count, (variance + left) / count};
    return TIPS_OK;
}
