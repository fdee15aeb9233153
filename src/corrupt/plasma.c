/* Diamonds and squares on a torus: each step halves the grid and adds less noise. */
#include "corrupt/corrupt_parts.h"

typedef struct plasma {
    tips_draws *draws;
    double *map; /* (side, side) */
    int side;
    double wibble;
} plasma;

static double at(const plasma *p, int y, int x) {
    return p->map[(ptrdiff_t)((y + p->side) % p->side) * p->side + (x + p->side) % p->side];
}

static double wobbled(const plasma *p, double sum) {
    return sum / 4 + p->wibble * tips__draw_uniform(p->draws, -p->wibble, p->wibble);
}

static void fill_squares(plasma *p, int step) {
    const int half = step / 2;
    for (int y = 0; y < p->side; y += step)
        for (int x = 0; x < p->side; x += step)
            p->map[(ptrdiff_t)(y + half) * p->side + x + half] =
                wobbled(p, at(p, y, x) + at(p, y + step, x) + at(p, y, x + step) + at(p, y + step, x + step));
}

static void fill_diamonds(plasma *p, int step) {
    const int half = step / 2;
    for (int y = 0; y < p->side; y += half)
        for (int x = y % step ? 0 : half; x < p->side; x += step)
            p->map[(ptrdiff_t)y * p->side + x] =
                wobbled(p, at(p, y - half, x) + at(p, y + half, x) + at(p, y, x - half) + at(p, y, x + half));
}

void tips__plasma(tips_draws *draws, int side, double decay, double *out) {
    plasma p = {draws, out, side, 100};
    const size_t count = (size_t)side * (size_t)side;
    out[0] = 0;
    for (int step = side; step >= 2; step /= 2, p.wibble /= decay) {
        fill_squares(&p, step);
        fill_diamonds(&p, step);
    }
    double low = out[0], high = out[0];
    for (size_t i = 1; i < count; i++) {
        low = out[i] < low ? out[i] : low;
        high = out[i] > high ? out[i] : high;
    }
    for (size_t i = 0; i < count; i++) out[i] = high > low ? (out[i] - low) / (high - low) : 0;
}

int tips__plasma_side(const tips_corrupt_job *job, int least) {
    int side = least;
    while (side < job->h || side < job->w) side *= 2;
    return side;
}
