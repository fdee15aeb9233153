/* Large pixels, and JPEG. */
#include "corrupt/corrupt_parts.h"

#include "core/fail.h"
#include "image/jpeg_bytes.h"
#include "image/resize.h"

static int shorter(int side, double share) { return side * share < 1 ? 1 : (int)(side * share); }

tips_status tips__corrupt_pixelate(const tips_corrupt_job *job, double *planes) {
    static const double shares[][TIPS_SEVERITIES] = {{.6, .5, .4, .3, .25}, {.95, .9, .85, .75, .65}};
    const double share = shares[job->scale][job->severity - 1];
    tips_image image = {0}, small = {0}, large = {0};
    TIPS_TRY(tips__planes_to_image(job->h, job->w, job->c, planes, &image));
    tips_status status = tips__resize_box(&image, shorter(job->h, share), shorter(job->w, share), &small);
    if (status == TIPS_OK) status = tips__resize_box(&small, job->h, job->w, &large);
    if (status == TIPS_OK) tips__image_to_planes(&large, planes);
    tips__image_free(&image);
    tips__image_free(&small);
    tips__image_free(&large);
    return status;
}

tips_status tips__through_jpeg(int h, int w, int c, int quality, double *planes) {
    tips_image image, back;
    TIPS_TRY(tips__planes_to_image(h, w, c, planes, &image));
    const tips_status status = tips__image_through_jpeg(&image, quality, &back);
    tips__image_free(&image);
    if (status != TIPS_OK) return status;
    tips__image_to_planes(&back, planes);
    tips__image_free(&back);
    return TIPS_OK;
}

tips_status tips__corrupt_jpeg_compression(const tips_corrupt_job *job, double *planes) {
    static const int qualities[][TIPS_SEVERITIES] = {{25, 18, 15, 10, 7}, {80, 65, 58, 50, 40}};
    return tips__through_jpeg(job->h, job->w, job->c, qualities[job->scale][job->severity - 1], planes);
}
