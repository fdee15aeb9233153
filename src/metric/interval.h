/* 95 % intervals: Wilson's where there is one trial per image, one for images with several trials that are alike, and a
 * seeded bootstrap over images. */
#ifndef TIPS_METRIC_INTERVAL_H
#define TIPS_METRIC_INTERVAL_H

#include <stdint.h>
#include <tips/classifier.h>

/* A measured value and its 95 % interval, in percent unless its metric says otherwise. All three are not a number where
 * nothing was measured, the interval alone where it has none. */
typedef tips_share tips_figure;

/* Not a number, for what was not measured. */
tips_figure tips__figure_none(void);
/* A value that has no interval. */
tips_figure tips__figure_plain(double value);

/* The score interval of `hits` in `trials` independent trials. */
tips_figure tips__wilson(int64_t hits, int64_t trials);

/* sum hits / sum trials over images; hits may lie between 0 and all trials of an image. The trials of an image may be
 * as alike as they like, and the interval does not shrink to a point where all agree. */
tips_figure tips__clustered(const double *hits, const double *trials, int images);

enum { TIPS_BOOTSTRAP_ROUNDS = 1000 };

/* The interval of a figure of a set of images, which may be no number, by drawing images with replacement: percentiles
 * 2.5 and 97.5 of TIPS_BOOTSTRAP_ROUNDS rounds. Depends on the figure and the seed alone. */
typedef double tips_statistic(const void *context, const int *drawn, int images); /* of the images of these numbers */
tips_status tips__bootstrap_of(tips_statistic *statistic, const void *context, int images, uint64_t seed,
                               tips_figure *out) TIPS_MUST_CHECK;
/* The same for several figures that are computed together. */
typedef void tips_statistics(const void *context, const int *drawn, int images, double *values);
tips_status tips__bootstrap_several(tips_statistics *statistics, const void *context, int count, int images,
                                    uint64_t seed, tips_figure *out) TIPS_MUST_CHECK; /* (count) */
/* Of sum hits / sum trials over images, in percent. */
tips_status tips__bootstrap(const double *hits, const double *trials, int images, uint64_t seed,
                            tips_figure *out) TIPS_MUST_CHECK;

#endif
