/* Resizing with a filter, a triangle unless told otherwise, whose width grows with the reduction: first along rows,
 * then along columns, rounded to bytes after each pass. Weights are in fixed point with 22 bits, as in Pillow, so that
 * the results are the same bytes. */
#include "image/resize.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum { PRECISION = 32 - 8 - 2 };

/* For each position of one axis: the first source position and the weights from there on. */
typedef struct taps {
    int size, most;   /* output positions; weights each has room for */
    int *first;       /* (size) */
    int *count;       /* (size) */
    int32_t *weights; /* (size, most) */
    double *exact;    /* (most) */
} taps;

typedef struct filter {
    double support; /* beyond it the weight is 0 */
    double (*weight)(double x);
} filter;

static double triangle_at(double x) { return fabs(x) < 1 ? 1 - fabs(x) : 0; }
static double box_at(double x) { return x > -0.5 && x <= 0.5; }
static const filter triangle = {1, triangle_at}, box = {0.5, box_at};

static void fill_position(taps *t, const filter *f, int in, int i, double scale) {
    const double stretch = scale < 1 ? 1 : scale, centre = (i + 0.5) * scale, reach = f->support * stretch;
    int low = (int)(centre - reach + 0.5), high = (int)(centre + reach + 0.5);
    double sum = 0;
    low = low < 0 ? 0 : low;
    high = high > in ? in : high;
    for (int k = 0; k < high - low; k++) sum += t->exact[k] = f->weight((k + low - centre + 0.5) * (1 / stretch));
    for (int k = 0; k < high - low; k++) {
        const double weight = sum != 0 ? t->exact[k] / sum : t->exact[k];
        t->weights[(ptrdiff_t)i * t->most + k] = (int32_t)(0.5 + weight * (1 << PRECISION));
    }
    t->first[i] = low;
    t->count[i] = high - low;
}

static void free_taps(taps *t) {
    tips__free(t->first);
    tips__free(t->count);
    tips__free(t->weights);
    tips__free(t->exact);
}

static tips_status make_taps(const filter *f, int in, int out, taps *t) {
    const double scale = (double)in / out;
    *t = (taps){.size = out, .most = (int)ceil(f->support * (scale < 1 ? 1 : scale)) * 2 + 1};
    tips_status status = tips__new(&t->first, (size_t)out * sizeof *t->first, "resizing");
    if (status == TIPS_OK) status = tips__new(&t->count, (size_t)out * sizeof *t->count, "resizing");
    if (status == TIPS_OK) status = tips__new(&t->exact, (size_t)t->most * sizeof *t->exact, "resizing");
    if (status == TIPS_OK)
        status = tips__new(&t->weights, (size_t)out * (size_t)t->most * sizeof *t->weights, "resizing");
    for (int i = 0; i < out && status == TIPS_OK; i++) fill_position(t, f, in, i, scale);
    if (status != TIPS_OK) free_taps(t);
    return status;
}

static uint8_t to_byte(int32_t sum) {
    const int32_t value = sum >> PRECISION;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void along_row(const taps *t, int c, const uint8_t *src, uint8_t *dst) {
    for (int i = 0; i < t->size; i++) {
        const int32_t *weights = t->weights + (ptrdiff_t)i * t->most;
        const uint8_t *from = src + (ptrdiff_t)t->first[i] * c;
        for (int k = 0; k < c; k++) {
            int32_t sum = 1 << (PRECISION - 1);
            for (int j = 0; j < t->count[i]; j++) sum += from[j * c + k] * weights[j];
            *dst++ = to_byte(sum);
        }
    }
}

/* One row of the result from the rows of `src`; the sums of a row are kept together, so the loops are long ones. */
static void across_rows(const taps *t, int i, int row, const uint8_t *src, int32_t *sums, uint8_t *dst) {
    const int32_t *weights = t->weights + (ptrdiff_t)i * t->most;
    for (int x = 0; x < row; x++) sums[x] = 1 << (PRECISION - 1);
    for (int j = 0; j < t->count[i]; j++) {
        const uint8_t *from = src + (ptrdiff_t)(t->first[i] + j) * row;
        const int32_t weight = weights[j];
        for (int x = 0; x < row; x++) sums[x] += from[x] * weight;
    }
    for (int x = 0; x < row; x++) dst[x] = to_byte(sums[x]);
}

static tips_status resize_width(const filter *f, const tips_image *src, int width, tips_image *out) {
    taps t;
    tips_image image;
    TIPS_TRY(make_taps(f, src->w, width, &t));
    const tips_status status = tips__image_allocate("a resized picture", width, src->h, src->c, &image);
    for (int y = 0; y < src->h && status == TIPS_OK; y++)
        along_row(&t, src->c, src->pixels + (ptrdiff_t)y * src->w * src->c,
                  image.pixels + (ptrdiff_t)y * width * src->c);
    free_taps(&t);
    if (status == TIPS_OK) *out = image;
    return status;
}

static tips_status resize_height(const filter *f, const tips_image *src, int height, tips_image *out) {
    taps t;
    tips_image image = {0};
    int32_t *sums = NULL;
    const int row = src->w * src->c;
    TIPS_TRY(make_taps(f, src->h, height, &t));
    tips_status status = tips__new(&sums, (size_t)row * sizeof *sums, "resizing");
    if (status == TIPS_OK) status = tips__image_allocate("a resized picture", src->w, height, src->c, &image);
    for (int y = 0; y < height && status == TIPS_OK; y++)
        across_rows(&t, y, row, src->pixels, sums, image.pixels + (ptrdiff_t)y * row);
    free_taps(&t);
    tips__free(sums);
    if (status == TIPS_OK) *out = image;
    return status;
}

static tips_status copy(const tips_image *src, tips_image *out) {
    tips_image image;
    TIPS_TRY(tips__image_allocate("a picture", src->w, src->h, src->c, &image));
    memcpy(image.pixels, src->pixels, (size_t)src->h * (size_t)src->w * (size_t)src->c);
    *out = image;
    return TIPS_OK;
}

static tips_status resize(const filter *f, const tips_image *src, int height, int width, tips_image *out) {
    tips_image narrow;
    if (width == src->w) return height == src->h ? copy(src, out) : resize_height(f, src, height, out);
    if (height == src->h) return resize_width(f, src, width, out);
    TIPS_TRY(resize_width(f, src, width, &narrow));
    const tips_status status = resize_height(f, &narrow, height, out);
    tips__image_free(&narrow);
    return status;
}

tips_status tips__resize(const tips_image *src, int height, int width, tips_image *out) {
    return resize(&triangle, src, height, width, out);
}

tips_status tips__resize_box(const tips_image *src, int height, int width, tips_image *out) {
    return resize(&box, src, height, width, out);
}
