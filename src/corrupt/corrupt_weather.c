/* Snow and fog. */
#include "corrupt/corrupt_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

/* Drops of random brightness, enlarged, the bright ones kept, in bytes, and smeared downwards. */
static tips_status make_snow(const tips_corrupt_job *job, const double *c, double *layer, double *room) {
    const size_t plane = tips__plane_size(job);
    tips_draws draws = tips__draws_for(job, "snow");
    for (size_t i = 0; i < plane; i++) room[i] = c[0] + c[1] * tips__draw_normal(&draws);
    TIPS_TRY(tips__clipped_zoom(room, job->h, job->w, c[2], layer));
    for (size_t i = 0; i < plane; i++) layer[i] = layer[i] < c[3] ? 0 : (int)(tips__clip01(layer[i]) * 255) / 255.0;
    return tips__motion_blur(layer, job->h, job->w, (int)c[4], c[5], tips__draw_uniform(&draws, -135, -45));
}

static void whiten(const tips_corrupt_job *job, double share, const double *layer, double *planes) {
    const size_t plane = tips__plane_size(job);
    for (size_t i = 0; i < plane; i++) {
        const double grey =
            job->c == 1 ? planes[i] : .299 * planes[i] + .587 * planes[plane + i] + .114 * planes[2 * plane + i];
        const double fallen = layer[i] + layer[plane - 1 - i]; /* and the layer turned by half */
        for (int k = 0; k < job->c; k++) {
            double *x = &planes[(size_t)k * plane + i];
            *x = share * *x + (1 - share) * fmax(*x, grey * 1.5 + .5) + fallen;
        }
    }
}

tips_status tips__corrupt_snow(const tips_corrupt_job *job, double *planes) {
    static const double snows[][TIPS_SEVERITIES][7] = {{{.1, .3, 3, .5, 10, 4, .8},
                                                        {.2, .3, 2, .5, 12, 4, .7},
                                                        {.55, .3, 4, .9, 12, 8, .7},
                                                        {.55, .3, 4.5, .85, 12, 8, .65},
                                                        {.55, .3, 2.5, .85, 12, 12, .55}},
                                                       {{.1, .2, 1, .6, 8, 3, .95},
                                                        {.1, .2, 1, .5, 10, 4, .9},
                                                        {.15, .3, 1.75, .55, 10, 4, .9},
                                                        {.25, .3, 2.25, .6, 12, 6, .85},
                                                        {.3, .3, 1.25, .65, 14, 12, .8}}};
    const double *c = snows[job->scale][job->severity - 1];
    const size_t plane = tips__plane_size(job);
    double *layer;
    TIPS_TRY(tips__new(&layer, 2 * plane * sizeof *layer, "a layer of snow"));
    const tips_status status = make_snow(job, c, layer, layer + plane);
    if (status == TIPS_OK) whiten(job, c[6], layer, planes);
    tips__free(layer);
    return status;
}

tips_status tips__corrupt_fog(const tips_corrupt_job *job, double *planes) {
    static const double fogs[][TIPS_SEVERITIES][2] = {{{1.5, 2}, {2, 2}, {2.5, 1.7}, {2.5, 1.5}, {3, 1.4}},
                                                      {{.2, 3}, {.5, 3}, {.75, 2.5}, {1, 2}, {1.5, 1.75}}};
    const double *c = fogs[job->scale][job->severity - 1];
    const int side = tips__plasma_side(job, job->scale == TIPS_CORRUPT_224 ? 256 : 32);
    tips_draws draws = tips__draws_for(job, __func__);
    double *map, most = 0;
    TIPS_TRY(tips__new(&map, (size_t)side * (size_t)side * sizeof *map, "fog"));
    tips__plasma(&draws, side, c[1], map);
    for (size_t i = 0; i < tips__planes_size(job); i++) most = fmax(most, planes[i]);
    for (int k = 0; k < job->c; k++)
        for (int y = 0; y < job->h; y++)
            for (int x = 0; x < job->w; x++) {
                double *at = &planes[((size_t)k * (size_t)job->h + (size_t)y) * (size_t)job->w + (size_t)x];
                *at = (*at + c[0] * map[(ptrdiff_t)y * side + x]) * most / (most + c[0]);
            }
    tips__free(map);
    return TIPS_OK;
}
