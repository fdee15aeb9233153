/* Frost: a x + b times a part of a picture of frost, from a folder or made here. */
#include "corrupt/corrupt_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/names.h"
#include "image/resize.h"

#include <math.h>

enum { MOST = 5 };
static const double SMALL = 0.2; /* pictures of frost are made smaller for inputs of 32 pixels */

static tips_status read_pictures(const char *folder, const tips_names *files, tips_frost *out) {
    TIPS_TRY(tips__new_zero(&out->pictures, MOST * sizeof *out->pictures, "pictures of frost"));
    for (int i = 0; i < files->count && out->count < MOST; i++) {
        char path[TIPS_PATH_SIZE];
        TIPS_TRY(tips__path_join(folder, files->rows[i], path));
        const tips_status status = tips__image_read(path, &out->pictures[out->count]);
        if (status == TIPS_FORMAT || status == TIPS_UNSUPPORTED) continue; /* other files may lie there */
        TIPS_TRY(status);
        out->count++;
    }
    if (out->count == 0) TIPS_FAIL(TIPS_FORMAT, "%s has no pictures of frost that can be read", folder);
    return TIPS_OK;
}

tips_status tips__frost_read(const char *folder, tips_frost *out) {
    tips_names files = {0}, folders = {0};
    *out = (tips_frost){0};
    tips_status status = tips__list_folder(folder, &files, &folders);
    if (status == TIPS_OK) status = read_pictures(folder, &files, out);
    tips__names_clear(&files);
    tips__names_clear(&folders);
    if (status != TIPS_OK) tips__frost_clear(out);
    return status;
}

void tips__frost_clear(tips_frost *frost) {
    for (int i = 0; i < frost->count; i++) tips__image_free(&frost->pictures[i]);
    tips__free(frost->pictures);
    *frost = (tips_frost){0};
}

/* Where a value is and what is added to it there, in 0..1. */
typedef struct texture {
    const double *map; /* of ours: (side, side) */
    int side;
    const tips_image *picture; /* or of a folder */
    int top, left;
} texture;

/* Ice: bright veins where a fractal crosses its middle, over a blueish haze. */
static double iced(const texture *t, int y, int x, int k) {
    static const double tint[3] = {.78, .88, 1};
    const double value = t->map[(ptrdiff_t)y * t->side + x], vein = 1 - fabs(2 * value - 1);
    return (.25 * value + .75 * pow(vein, 4)) * tint[k];
}

static double frosted(const texture *t, int y, int x, int k) {
    if (!t->picture) return iced(t, y, x, k);
    const tips_image *p = t->picture;
    const size_t at = ((size_t)(y + t->top) * (size_t)p->w + (size_t)(x + t->left)) * (size_t)p->c;
    return p->pixels[at + (size_t)(p->c == 3 ? k : 0)] / 255.0;
}

static void mix(const tips_corrupt_job *job, const texture *t, const double c[2], double *planes) {
    for (int y = 0; y < job->h; y++)
        for (int x = 0; x < job->w; x++)
            for (int k = 0; k < job->c; k++) {
                const double ice = job->c == 3 ? frosted(t, y, x, k)
                                               : (frosted(t, y, x, 0) + frosted(t, y, x, 1) + frosted(t, y, x, 2)) / 3;
                double *at = &planes[((size_t)k * (size_t)job->h + (size_t)y) * (size_t)job->w + (size_t)x];
                *at = c[0] * *at + c[1] * ice;
            }
}

static tips_status mix_made(const tips_corrupt_job *job, tips_draws *draws, const double c[2], double *planes) {
    const int side = tips__plasma_side(job, job->scale == TIPS_CORRUPT_224 ? 256 : 32);
    double *map;
    TIPS_TRY(tips__new(&map, (size_t)side * (size_t)side * sizeof *map, "frost"));
    tips__plasma(draws, side, 1.7, map);
    mix(job, &(texture){.map = map, .side = side}, c, planes);
    tips__free(map);
    return TIPS_OK;
}

/* At its own size, or a fifth of it for small inputs, but never smaller than the input; without antialiasing, as the
 * published pictures have it, so that the ice stays sharp. */
static tips_status mix_picture(const tips_corrupt_job *job, tips_draws *draws, const double c[2], double *planes) {
    const tips_image *from = &job->frost->pictures[tips__draw_int(draws, 0, job->frost->count - 1)];
    const double wanted = job->scale == TIPS_CORRUPT_224 ? 1 : SMALL;
    const double least = fmax((double)job->h / from->h, (double)job->w / from->w), scale = fmax(wanted, least);
    const int h = (int)fmax(nearbyint(from->h * scale), job->h), w = (int)fmax(nearbyint(from->w * scale), job->w);
    tips_image picture;
    TIPS_TRY(tips__resize_plain(from, h, w, &picture));
    const int top = tips__draw_int(draws, 0, h - job->h), left = tips__draw_int(draws, 0, w - job->w);
    mix(job, &(texture){.picture = &picture, .top = top, .left = left}, c, planes);
    tips__image_free(&picture);
    return TIPS_OK;
}

tips_status tips__corrupt_frost(const tips_corrupt_job *job, double *planes) {
    static const double frosts[][TIPS_SEVERITIES][2] = {{{1, .4}, {.8, .6}, {.7, .7}, {.65, .7}, {.6, .75}},
                                                        {{1, .2}, {1, .3}, {.9, .4}, {.85, .4}, {.75, .45}}};
    const double *c = frosts[job->scale][job->severity - 1];
    tips_draws draws = tips__draws_for(job, __func__);
    const bool has_pictures = job->frost && job->frost->count > 0;
    return has_pictures ? mix_picture(job, &draws, c, planes) : mix_made(job, &draws, c, planes);
}
