/* What corruptions share. Planes are (c, h, w) of doubles. */
#ifndef TIPS_CORRUPT_CORRUPT_PARTS_H
#define TIPS_CORRUPT_CORRUPT_PARTS_H

#include <stddef.h>

#include "core/rng.h"
#include "corrupt/corrupt.h"

#define TIPS_CORRUPTION(name, group, extra, alexnet) \
    tips_status tips__corrupt_##name(const tips_corrupt_job *job, double *planes);
#include "corrupt/corruptions.def"
#undef TIPS_CORRUPTION

/* Random numbers one after the other. */
typedef struct tips_draws {
    tips_rng rng;
    uint64_t next;
} tips_draws;

/* Those of a job; `what` is the name of the corruption. */
tips_draws tips__draws_for(const tips_corrupt_job *job, const char *what);
static inline double tips__draw_uniform(tips_draws *d, double low, double high) {
    return low + (high - low) * tips__rng_uniform(d->rng, d->next++);
}
static inline double tips__draw_normal(tips_draws *d) { return tips__rng_normal(d->rng, d->next++); }
/* A whole number in low..high. */
static inline int tips__draw_int(tips_draws *d, int low, int high) {
    return low + (int)tips__rng_below(d->rng, d->next++, (uint32_t)(high - low + 1));
}

static inline size_t tips__plane_size(const tips_corrupt_job *job) { return (size_t)job->h * (size_t)job->w; }
static inline size_t tips__planes_size(const tips_corrupt_job *job) { return tips__plane_size(job) * (size_t)job->c; }
static inline double tips__clip01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* How the picture goes on beyond its border: aaa|abcd|ddd, dcb|abcd|cba, cba|abcd|dcb. */
typedef enum tips_beyond { TIPS_BEYOND_NEAREST, TIPS_BEYOND_MIRROR, TIPS_BEYOND_REFLECT } tips_beyond;
/* The pixel that stands at place i of n. */
int tips__beyond(tips_beyond rule, int i, int n);

/* A Gaussian filter of one plane in place, cut off at `truncate` deviations; a deviation of 0 changes nothing. */
tips_status tips__gaussian_filter(double *plane, int h, int w, double sigma, double truncate,
                                  tips_beyond rule) TIPS_MUST_CHECK;
/* The middle of a plane enlarged by a factor >= 1 (linear, corner on corner), cut to the size of the plane. */
tips_status tips__clipped_zoom(const double *plane, int h, int w, double factor, double *out) TIPS_MUST_CHECK;
/* A plane smeared along an angle in degrees: weights of half a Gaussian over 2 radius + 1 copies. */
tips_status tips__motion_blur(double *plane, int h, int w, int radius, double sigma, double angle) TIPS_MUST_CHECK;
/* A fractal in 0..1 of (side, side), side a power of two, that wraps around; larger decays are smoother. */
void tips__plasma(tips_draws *draws, int side, double decay, double *out);
/* The least power of two that both sides fit in, and `least`. */
int tips__plasma_side(const tips_corrupt_job *job, int least);

/* Bytes (h, w, c) of planes, cut down; and back. */
tips_status tips__planes_to_image(int h, int w, int c, const double *planes, tips_image *out) TIPS_MUST_CHECK;
void tips__image_to_planes(const tips_image *image, double *planes);

#endif
