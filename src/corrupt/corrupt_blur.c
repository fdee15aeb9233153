/* Blur: out of focus, by a Gaussian, through glass, by motion, by zooming. */
#include "corrupt/corrupt_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { NEAR = 8 }; /* the disk of a smaller radius has a grid of this one */

typedef struct disk {
    int reach;       /* pixels from -reach to reach */
    double *weights; /* (2 reach + 1, 2 reach + 1) */
} disk;

static int side_of(const disk *d) { return 2 * d->reach + 1; }

/* Its edges softened by a Gaussian of 3 or 5 pixels. */
static tips_status soften(disk *d, double sigma, int pixels) {
    const int side = side_of(d);
    return tips__gaussian_filter(d->weights, side, side, sigma, pixels / 2 / sigma, TIPS_BEYOND_MIRROR);
}

static tips_status make_disk(double radius, double sigma, disk *out) {
    disk d = {.reach = radius <= NEAR ? NEAR : (int)radius};
    const int side = side_of(&d);
    double count = 0;
    TIPS_TRY(tips__new_zero(&d.weights, (size_t)side * (size_t)side * sizeof *d.weights, "a disk"));
    for (int y = -d.reach; y <= d.reach; y++)
        for (int x = -d.reach; x <= d.reach; x++)
            count += d.weights[(y + d.reach) * side + x + d.reach] = x * x + y * y <= radius * radius;
    for (int i = 0; i < side * side; i++) d.weights[i] /= count;
    const tips_status status = soften(&d, sigma, radius <= NEAR ? 3 : 5);
    if (status != TIPS_OK) tips__free(d.weights);
    else *out = d;
    return status;
}

/* A row of the picture, moved, to one of the result; it goes on beyond its ends. */
static void add_row(int w, const double *from, int shift, double weight, double *to) {
    for (int x = 0; x < w; x++) to[x] += weight * from[tips__beyond(TIPS_BEYOND_MIRROR, x + shift, w)];
}

static void convolve(const tips_corrupt_job *job, const disk *d, const double *plane, double *out) {
    const int side = side_of(d);
    memset(out, 0, tips__plane_size(job) * sizeof *out);
    for (int y = 0; y < job->h; y++)
        for (int i = 0; i < side; i++) {
            const double *from = plane + (ptrdiff_t)tips__beyond(TIPS_BEYOND_MIRROR, y + i - d->reach, job->h) * job->w;
            for (int j = 0; j < side; j++) {
                const double weight = d->weights[i * side + j];
                if (weight != 0) add_row(job->w, from, j - d->reach, weight, out + (ptrdiff_t)y * job->w);
            }
        }
}

tips_status tips__corrupt_defocus_blur(const tips_corrupt_job *job, double *planes) {
    static const double disks[][TIPS_SEVERITIES][2] = {{{3, .1}, {4, .5}, {6, .5}, {8, .5}, {10, .5}},
                                                       {{.3, .4}, {.4, .5}, {.5, .6}, {1, .2}, {1.5, .1}}};
    const double *c = disks[job->scale][job->severity - 1];
    const size_t plane = tips__plane_size(job);
    double *sharp;
    disk d;
    TIPS_TRY(make_disk(c[0], c[1], &d));
    const tips_status status = tips__new(&sharp, plane * sizeof *sharp, "a picture");
    for (int k = 0; k < job->c && status == TIPS_OK; k++) {
        memcpy(sharp, planes + (size_t)k * plane, plane * sizeof *sharp);
        convolve(job, &d, sharp, planes + (size_t)k * plane);
    }
    if (status == TIPS_OK) tips__free(sharp);
    tips__free(d.weights);
    return status;
}

static tips_status blur_all(const tips_corrupt_job *job, double sigma, double *planes) {
    for (int k = 0; k < job->c; k++)
        TIPS_TRY(tips__gaussian_filter(planes + (size_t)k * tips__plane_size(job), job->h, job->w, sigma, 4,
                                       TIPS_BEYOND_NEAREST));
    return TIPS_OK;
}

tips_status tips__corrupt_gaussian_blur(const tips_corrupt_job *job, double *planes) {
    static const double sigmas[][TIPS_SEVERITIES] = {{1, 2, 3, 4, 6}, {.4, .6, .7, .8, 1}};
    return blur_all(job, sigmas[job->scale][job->severity - 1], planes);
}

static void copy_pixel(const tips_corrupt_job *job, double *planes, size_t from, size_t to) {
    for (int k = 0; k < job->c; k++) {
        double *plane = planes + (size_t)k * tips__plane_size(job);
        plane[to] = plane[from];
    }
}

/* From the bottom right, each pixel becomes what one nearby is at that moment. The published pictures were made by a
 * statement that was meant to swap the two: x[a], x[b] = x[b], x[a], where NumPy's x[a] and x[b] are views of the
 * array, so that the second assignment reads what the first has written. */
static void scatter(const tips_corrupt_job *job, tips_draws *draws, int reach, double *planes) {
    for (int y = job->h - reach; y > reach; y--)
        for (int x = job->w - reach; x > reach; x--) {
            const int dx = tips__draw_int(draws, -reach, reach - 1), dy = tips__draw_int(draws, -reach, reach - 1);
            copy_pixel(job, planes, (size_t)(y + dy) * (size_t)job->w + (size_t)(x + dx),
                       (size_t)y * (size_t)job->w + (size_t)x);
        }
}

typedef struct glass {
    double sigma;
    int reach, rounds;
} glass;

tips_status tips__corrupt_glass_blur(const tips_corrupt_job *job, double *planes) {
    static const glass glasses[][TIPS_SEVERITIES] = {{{.7, 1, 2}, {.9, 2, 1}, {1, 2, 3}, {1.1, 3, 2}, {1.5, 4, 2}},
                                                     {{.05, 1, 1}, {.25, 1, 1}, {.4, 1, 1}, {.25, 1, 2}, {.4, 1, 2}}};
    const glass *c = &glasses[job->scale][job->severity - 1];
    tips_draws draws = tips__draws_for(job, __func__);
    TIPS_TRY(blur_all(job, c->sigma, planes));
    for (size_t i = 0; i < tips__planes_size(job); i++) planes[i] = (int)(tips__clip01(planes[i]) * 255) / 255.0;
    for (int i = 0; i < c->rounds; i++) scatter(job, &draws, c->reach, planes);
    return blur_all(job, c->sigma, planes);
}

typedef struct motion {
    int radius;
    double sigma;
} motion;

tips_status tips__corrupt_motion_blur(const tips_corrupt_job *job, double *planes) {
    static const motion motions[][TIPS_SEVERITIES] = {{{10, 3}, {15, 5}, {15, 8}, {15, 12}, {20, 15}},
                                                      {{6, 1}, {6, 1.5}, {6, 2}, {8, 2}, {9, 2.5}}};
    const motion *c = &motions[job->scale][job->severity - 1];
    tips_draws draws = tips__draws_for(job, __func__);
    const double angle = tips__draw_uniform(&draws, -45, 45);
    for (int k = 0; k < job->c; k++)
        TIPS_TRY(
            tips__motion_blur(planes + (size_t)k * tips__plane_size(job), job->h, job->w, c->radius, c->sigma, angle));
    return TIPS_OK;
}

typedef struct zoom {
    int factors;
    double step;
} zoom;

tips_status tips__corrupt_zoom_blur(const tips_corrupt_job *job, double *planes) {
    static const zoom zooms[][TIPS_SEVERITIES] = {{{12, .01}, {16, .01}, {11, .02}, {13, .02}, {11, .03}},
                                                  {{7, .01}, {12, .01}, {16, .01}, {21, .01}, {26, .01}}};
    const zoom *c = &zooms[job->scale][job->severity - 1];
    const size_t plane = tips__plane_size(job);
    const double step = (1 + c->step) - 1; /* as numpy's arange counts */
    double *zoomed, *sum;
    TIPS_TRY(tips__new(&zoomed, 2 * plane * sizeof *zoomed, "an enlarged picture"));
    sum = zoomed + plane;
    tips_status status = TIPS_OK;
    for (int k = 0; k < job->c && status == TIPS_OK; k++) {
        double *at = planes + (size_t)k * plane;
        memset(sum, 0, plane * sizeof *sum);
        for (int i = 0; i < c->factors && status == TIPS_OK; i++) {
            status = tips__clipped_zoom(at, job->h, job->w, 1 + i * step, zoomed);
            for (size_t p = 0; p < plane; p++) sum[p] += zoomed[p];
        }
        for (size_t p = 0; p < plane; p++) at[p] = (at[p] + sum[p]) / (c->factors + 1);
    }
    tips__free(zoomed);
    return status;
}
