/* Brightness, contrast, saturation: colours alone, whatever lies beside them. */
#include "corrupt/corrupt_parts.h"

#include <math.h>

typedef struct hsv {
    double h, s, v;
} hsv;

static hsv to_hsv(double r, double g, double b) {
    const double most = fmax(r, fmax(g, b)), range = most - fmin(r, fmin(g, b));
    hsv out = {0, most > 0 ? range / most : 0, most};
    if (range == 0) return out;
    if (r == most) out.h = (g - b) / range;
    if (g == most) out.h = 2 + (b - r) / range;
    if (b == most) out.h = 4 + (r - g) / range;
    out.h /= 6;
    out.h -= floor(out.h);
    return out;
}

static void to_rgb(hsv x, double rgb[3]) {
    const double sixth = floor(x.h * 6), f = x.h * 6 - sixth;
    const double p = x.v * (1 - x.s), q = x.v * (1 - f * x.s), t = x.v * (1 - (1 - f) * x.s), v = x.v;
    const double table[6][3] = {{v, t, p}, {q, v, p}, {p, v, t}, {p, q, v}, {t, p, v}, {v, p, q}};
    const double *row = table[(int)sixth % 6];
    for (int k = 0; k < 3; k++) rgb[k] = row[k];
}

/* Saturation becomes times * s + more, the value v + lift; grey has no saturation. */
static void recolour(const tips_corrupt_job *job, double times, double more, double lift, double *planes) {
    const size_t plane = tips__plane_size(job);
    for (size_t i = 0; i < plane; i++) {
        double rgb[3];
        if (job->c == 1) {
            planes[i] = tips__clip01(planes[i] + lift);
            continue;
        }
        hsv x = to_hsv(planes[i], planes[plane + i], planes[2 * plane + i]);
        x.s = tips__clip01(x.s * times + more);
        x.v = tips__clip01(x.v + lift);
        to_rgb(x, rgb);
        for (size_t k = 0; k < 3; k++) planes[k * plane + i] = rgb[k];
    }
}

tips_status tips__corrupt_brightness(const tips_corrupt_job *job, double *planes) {
    static const double lifts[][TIPS_SEVERITIES] = {{.1, .2, .3, .4, .5}, {.05, .1, .15, .2, .3}};
    recolour(job, 1, 0, lifts[job->scale][job->severity - 1], planes);
    return TIPS_OK;
}

tips_status tips__corrupt_saturate(const tips_corrupt_job *job, double *planes) {
    static const double changes[][TIPS_SEVERITIES][2] = {{{.3, 0}, {.1, 0}, {2, 0}, {5, .1}, {20, .2}},
                                                         {{.3, 0}, {.1, 0}, {1.5, 0}, {2, .1}, {2.5, .2}}};
    const double *c = changes[job->scale][job->severity - 1];
    recolour(job, c[0], c[1], 0, planes);
    return TIPS_OK;
}

tips_status tips__corrupt_contrast(const tips_corrupt_job *job, double *planes) {
    static const double shares[][TIPS_SEVERITIES] = {{.4, .3, .2, .1, .05}, {.75, .5, .4, .3, .15}};
    const double share = shares[job->scale][job->severity - 1];
    const size_t plane = tips__plane_size(job);
    for (int k = 0; k < job->c; k++) {
        double *at = planes + (size_t)k * plane, mean = 0;
        for (size_t i = 0; i < plane; i++) mean += at[i];
        mean /= (double)plane;
        for (size_t i = 0; i < plane; i++) at[i] = (at[i] - mean) * share + mean;
    }
    return TIPS_OK;
}
