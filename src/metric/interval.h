/* 95 % intervals that hold the true figure about 95 times in a hundred, of few pictures as of many. Shares of pictures
 * have Clopper and Pearson's or Wilson's; all else has Student's, by how much the figure moves when a picture is left
 * out. Decision 54 has the coverage. */
#ifndef TIPS_METRIC_INTERVAL_H
#define TIPS_METRIC_INTERVAL_H

#include <stdint.h>
#include <tips/consistency.h>
#include <tips/status.h>

/* A measured value and its 95 % interval, in percent unless its metric says otherwise. All three are not a number where
 * nothing was measured, the interval alone where it has none. */
typedef tips_share tips_figure;

/* Not a number, for what was not measured. */
tips_figure tips__figure_none(void);
/* A value that has no interval. */
tips_figure tips__figure_plain(double value);

/* `hits` of `trials` independent trials: Clopper and Pearson's interval where ten or fewer are on one side, Wilson's
 * where there are more on both. */
tips_figure tips__proportion(int64_t hits, int64_t trials);

/* The 97.5 % point of Student's distribution; of one degree of freedom for fewer. */
double tips__student(double freedom);

/* What a figure can be: an interval is symmetric on the scale where it has no ends. */
typedef enum tips_scale {
    TIPS_SCALE_SHARE,      /* 0..100 percent: log(p / (1 - p)) */
    TIPS_SCALE_AMOUNT,     /* 0 or more: log */
    TIPS_SCALE_DIFFERENCE, /* anything */
} tips_scale;

/* Student's interval of a figure whose pictures, or clusters, have `off` (n), the figure's influences: of a mean the
 * values less the mean. One more, as far off as the farthest, counts with them, and few that are far off give few
 * degrees of freedom: intervals of skewed values were too short otherwise. Without any spread there is none, except of
 * a share: that of as many pictures as `alike` that are right or wrong as a whole. */
tips_figure tips__figure_of_spread(double value, const double *off, int n, double alike, tips_scale scale);

/* The same one by one. */
typedef struct tips_moments {
    double square, fourth, farthest; /* sums of squares and of fourth powers, the largest square */
} tips_moments;
void tips__moments_add(tips_moments *moments, double off);
tips_figure tips__figure_of_moments(double value, const tips_moments *moments, int n, double alike, tips_scale scale);

/* sum hits / sum trials over images with several trials that are hits or not. The trials of an image may be as alike as
 * they like, and images where all of them miss may not have been met: the interval has room for both. */
tips_figure tips__clustered(const double *hits, const double *trials, int images);

/* The same of parts, such as the pixels of a mask that stay, by how much they spread over the images. */
tips_status tips__part_of_all(const double *parts, const double *wholes, int images, tips_figure *out) TIPS_MUST_CHECK;

/* The mean of values of pictures, such as differences of two models on each of them. */
tips_status tips__mean_figure(const double *values, int n, tips_scale scale, tips_figure *out) TIPS_MUST_CHECK;

/* Sets of more pictures leave out groups of pictures, as many as these. */
enum { TIPS_JACKKNIFE_MOST = 1000, TIPS_JACKKNIFE_GROUPS = 200 };

/* Figures of a set of images, computed together, each of which may be no number. Their intervals are by leaving out one
 * image after the other (or group of images). Has nothing of chance. */
typedef void tips_statistics(const void *context, const int *drawn, int images, double *values); /* of these images */
tips_status tips__jackknife_several(tips_statistics *statistics, const void *context, const tips_scale *scales,
                                    int count, int images, tips_figure *out) TIPS_MUST_CHECK; /* (count) */
typedef double tips_statistic(const void *context, const int *drawn, int images);
tips_status tips__jackknife(tips_statistic *statistic, const void *context, tips_scale scale, int images,
                            tips_figure *out) TIPS_MUST_CHECK;

#endif
