/* AP shift by shift; two of them at a time for the interval of their difference. */
#include "metric/shift_precision.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

typedef struct shift_set {
    const tips_picture_finds *finds; /* (images, shifts) */
    int images, shifts;
    tips_picture_finds *column; /* (images): those of a shift */
    double *ap, *ap50;          /* (shifts) */
} shift_set;

static tips_status index_of(const shift_set *s, int shift, tips_ap_index **out) {
    for (int i = 0; i < s->images; i++) s->column[i] = s->finds[(ptrdiff_t)i * s->shifts + shift];
    return tips__ap_index_create(s->column, s->images, out);
}

static tips_status measure(const shift_set *s) {
    for (int k = 0; k < s->shifts; k++) {
        tips_ap_index *index;
        TIPS_TRY(index_of(s, k, &index));
        tips__ap_pair(index, NULL, 0, &s->ap[k], &s->ap50[k]);
        tips__ap_index_destroy(index);
    }
    return TIPS_OK;
}

/* The first of equal ones; NaN is neither. */
static int most(const double *values, int n, double sign) {
    int best = 0;
    for (int k = 1; k < n; k++)
        if (sign * values[k] > sign * values[best] || isnan(values[best])) best = k;
    return best;
}

/* Two shifts, and which figure of them. */
typedef struct two_shifts {
    tips_ap_index *best, *worst;
    bool at_50;
} two_shifts;

static double ap_of(const tips_ap_index *index, const int *drawn, int images, bool at_50) {
    double ap, ap50;
    tips__ap_pair(index, drawn, images, &ap, &ap50);
    return 100 * (at_50 ? ap50 : ap);
}

/* Difference, best, worst. */
static void compare(const void *context, const int *drawn, int images, double *values) {
    const two_shifts *t = context;
    values[1] = ap_of(t->best, drawn, images, t->at_50);
    values[2] = ap_of(t->worst, drawn, images, t->at_50);
    values[0] = values[1] - values[2];
}

static tips_status difference(const shift_set *s, const double *values, bool at_50, tips_figure out[3]) {
    static const tips_scale scales[3] = {TIPS_SCALE_DIFFERENCE, TIPS_SCALE_SHARE, TIPS_SCALE_SHARE};
    two_shifts t = {.at_50 = at_50};
    TIPS_TRY(index_of(s, most(values, s->shifts, 1), &t.best));
    tips_status status = index_of(s, most(values, s->shifts, -1), &t.worst);
    if (status == TIPS_OK) {
        status = tips__jackknife_several(compare, &t, scales, 3, s->images, out);
        tips__ap_index_destroy(t.worst);
    }
    tips__ap_index_destroy(t.best);
    return status;
}

static double mean(const double *values, int n) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < n; k++)
        if (!isnan(values[k])) sum += values[k], count++;
    return count ? sum / count : NAN;
}

static tips_status sum_up(const shift_set *s, tips_shift_precision *out) {
    tips_figure three[3];
    double largest, smallest;
    TIPS_TRY(measure(s));
    TIPS_TRY(difference(s, s->ap50, true, three));
    out->dap50 = three[0];
    TIPS_TRY(difference(s, s->ap, false, three));
    out->dap = three[0], out->best = three[1], out->worst = three[2];
    out->mean = tips__figure_plain(100 * mean(s->ap, s->shifts));
    TIPS_TRY(tips__ap_bound(s->finds, s->images, s->shifts, most(s->ap, s->shifts, 1), true, &largest));
    TIPS_TRY(tips__ap_bound(s->finds, s->images, s->shifts, most(s->ap, s->shifts, -1), false, &smallest));
    out->bound = tips__figure_plain(100 * (largest - smallest));
    return TIPS_OK;
}

tips_status tips__shift_precision(const tips_picture_finds *finds, int images, int shifts, tips_shift_precision *out) {
    shift_set s = {.finds = finds, .images = images, .shifts = shifts};
    TIPS_TRY(tips__new(&s.ap, 2 * (size_t)shifts * sizeof *s.ap, "the shifts' precisions"));
    s.ap50 = s.ap + shifts;
    tips_status status = tips__new(&s.column, (size_t)images * sizeof *s.column, "the pictures under a shift");
    if (status == TIPS_OK) {
        status = sum_up(&s, out);
        tips__free(s.column);
    }
    tips__free(s.ap);
    return status;
}
