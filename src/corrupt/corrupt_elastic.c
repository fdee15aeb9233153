/* Elastic: three points of the picture are moved, which bends it by an affine map, then every pixel by smoothed noise.
 */
#include "corrupt/corrupt_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

/* Linear between four pixels. */
static double sample(const double *plane, int h, int w, double y, double x, tips_beyond rule) {
    const double top = floor(y), left = floor(x), b = y - top, a = x - left;
    const double *rows[2] = {plane + (ptrdiff_t)tips__beyond(rule, (int)top, h) * w,
                             plane + (ptrdiff_t)tips__beyond(rule, (int)top + 1, h) * w};
    const int columns[2] = {tips__beyond(rule, (int)left, w), tips__beyond(rule, (int)left + 1, w)};
    return (1 - b) * ((1 - a) * rows[0][columns[0]] + a * rows[0][columns[1]]) +
           b * ((1 - a) * rows[1][columns[0]] + a * rows[1][columns[1]]);
}

/* (x, y) of the picture for (x, y) of the result: x' = m[0] x + m[1] y + m[2], and y' likewise. */
typedef struct affine {
    double m[6];
} affine;

/* The map that takes points `from` to points `to`, three each. */
static affine through(const double from[3][2], const double to[3][2]) {
    const double ux = from[1][0] - from[0][0], uy = from[1][1] - from[0][1];
    const double vx = from[2][0] - from[0][0], vy = from[2][1] - from[0][1], det = ux * vy - uy * vx;
    affine out;
    for (int k = 0; k < 2; k++) {
        const double p = to[1][k] - to[0][k], q = to[2][k] - to[0][k];
        double *m = out.m + 3 * k;
        m[0] = (p * vy - q * uy) / det;
        m[1] = (q * ux - p * vx) / det;
        m[2] = to[0][k] - m[0] * from[0][0] - m[1] * from[0][1];
    }
    return out;
}

static affine draw_affine(const tips_corrupt_job *job, tips_draws *draws, double reach) {
    const double x = job->w / 2, y = job->h / 2, side = (job->h < job->w ? job->h : job->w) / 3; /* whole numbers */
    const double before[3][2] = {{x + side, y + side}, {x + side, y - side}, {x - side, y - side}};
    double after[3][2];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) after[i][k] = before[i][k] + tips__draw_uniform(draws, -reach, reach);
    return through((const double(*)[2])after, before); /* from the result back to the picture */
}

static tips_status draw_offsets(const tips_corrupt_job *job, tips_draws *draws, double alpha, double sigma,
                                double *out) {
    const size_t plane = tips__plane_size(job);
    for (size_t i = 0; i < plane; i++) out[i] = tips__draw_uniform(draws, -1, 1);
    TIPS_TRY(tips__gaussian_filter(out, job->h, job->w, sigma, 3, TIPS_BEYOND_REFLECT));
    for (size_t i = 0; i < plane; i++) out[i] *= alpha;
    return TIPS_OK;
}

static void bend(const tips_corrupt_job *job, const affine *a, const double *dx, const double *dy, double *room,
                 double *plane) {
    const int h = job->h, w = job->w;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            room[(ptrdiff_t)y * w + x] = sample(plane, h, w, a->m[3] * x + a->m[4] * y + a->m[5],
                                                a->m[0] * x + a->m[1] * y + a->m[2], TIPS_BEYOND_MIRROR);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const ptrdiff_t i = (ptrdiff_t)y * w + x;
            plane[i] = sample(room, h, w, y + dy[i], x + dx[i], TIPS_BEYOND_REFLECT);
        }
}

/* Strength and deviation of the noise and the reach of the points, in parts of 244 or of 32 pixels. */
tips_status tips__corrupt_elastic_transform(const tips_corrupt_job *job, double *planes) {
    static const double bends[][TIPS_SEVERITIES][3] = {
        {{2, .7, .1}, {2, .08, .2}, {.05, .01, .02}, {.07, .01, .02}, {.12, .01, .02}},
        {{0, 0, .08}, {.05, .2, .07}, {.08, .06, .06}, {.1, .04, .05}, {.1, .03, .03}}};
    const double *c = bends[job->scale][job->severity - 1], unit = job->scale == TIPS_CORRUPT_224 ? 244 : 32;
    const size_t plane = tips__plane_size(job);
    tips_draws draws = tips__draws_for(job, __func__);
    double *dx;
    TIPS_TRY(tips__new(&dx, 3 * plane * sizeof *dx, "an elastic picture"));
    double *dy = dx + plane, *room = dy + plane;
    const affine a = draw_affine(job, &draws, c[2] * unit);
    tips_status status = draw_offsets(job, &draws, c[0] * unit, c[1] * unit, dx);
    if (status == TIPS_OK) status = draw_offsets(job, &draws, c[0] * unit, c[1] * unit, dy);
    for (int k = 0; k < job->c && status == TIPS_OK; k++) bend(job, &a, dx, dy, room, planes + (size_t)k * plane);
    tips__free(dx);
    return status;
}
