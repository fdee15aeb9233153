/* Common corruptions of pictures: noise, blur, weather and digital ones, each at five severities, with the constants of
 * ImageNet-C and of CIFAR-10-C. What is random is a function of (seed, corruption, severity, picture). */
#ifndef TIPS_CORRUPT_CORRUPT_H
#define TIPS_CORRUPT_CORRUPT_H

#include <stdbool.h>
#include <stdint.h>

#include "image/image_read.h"

typedef enum tips_corruption_group {
    TIPS_CORRUPT_NOISE,
    TIPS_CORRUPT_BLUR,
    TIPS_CORRUPT_WEATHER,
    TIPS_CORRUPT_DIGITAL,
    TIPS_CORRUPT_GROUPS
} tips_corruption_group;
extern const char *const tips__corruption_groups[]; /* "noise", "blur", "weather", "digital", NULL */

enum { TIPS_SEVERITIES = 5 };

/* Which constants: those of pictures with 224 or with 32 pixels a side. */
typedef enum tips_corruption_scale { TIPS_CORRUPT_224, TIPS_CORRUPT_32 } tips_corruption_scale;

/* Pictures of frost, read once; none of them: a texture is made. */
typedef struct tips_frost {
    tips_image *pictures; /* (count) */
    int count;
} tips_frost;
/* The first five pictures of a folder by name, as the published set draws them. Cleared on failure. */
tips_status tips__frost_read(const char *folder, tips_frost *out) TIPS_MUST_CHECK;
void tips__frost_clear(tips_frost *frost);

/* One corruption to be done to one picture. */
typedef struct tips_corrupt_job {
    int h, w, c;  /* c is 1 or 3 */
    int severity; /* 1..TIPS_SEVERITIES */
    tips_corruption_scale scale;
    uint64_t seed;
    int picture; /* its number: other pictures get other noise */
    const tips_frost *frost;
} tips_corrupt_job;

typedef struct tips_corruption {
    const char *name; /* "gaussian_noise" */
    tips_corruption_group group;
    bool extra;     /* not one of the 15 */
    double alexnet; /* its mean error, as a share; 0: unknown */
    /* Planes (c, h, w) of red, green and blue in 0..1; what leaves 0..1 is clipped afterwards. */
    tips_status (*apply)(const tips_corrupt_job *job, double *planes);
} tips_corruption;

enum { TIPS_CORRUPTIONS = 18, TIPS_USUAL_CORRUPTIONS = 15 };
extern const tips_corruption tips__corruptions[TIPS_CORRUPTIONS];

/* The row of a name, or -1. */
int tips__corruption_find(const char *name);
/* Corrupts planes (c, h, w) in place. The result is clipped and cut down to whole 255ths, as the published pictures
 * are. */
tips_status tips__corrupt(const tips_corruption *corruption, const tips_corrupt_job *job,
                          float *planes) TIPS_MUST_CHECK;
/* Through a JPEG file of that quality and back, in memory; colours have half the resolution, as is usual.
 * TIPS_UNSUPPORTED without libjpeg. */
tips_status tips__through_jpeg(int h, int w, int c, int quality, double *planes) TIPS_MUST_CHECK;

#endif
