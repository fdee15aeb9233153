/* How much figures of a set move when a picture is left out, and the intervals that follow. */
#include "metric/interval.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdbool.h>

/* Picture i is in group i % groups. */
typedef struct left_out {
    tips_statistics *statistics;
    const void *context;
    int count, images, groups;
    double *values; /* (count): of all images */
    double *rest;   /* (count, groups): without each group */
    double *round;  /* (threads, count) */
    int *kept;      /* (threads, images) */
} left_out;

static void leave_out_each(const left_out *j) {
    TIPS_PARALLEL_FOR (g, j->groups) {
        const size_t thread = (size_t)omp_get_thread_num();
        int *kept = j->kept + thread * (size_t)j->images, n = 0;
        double *round = j->round + thread * (size_t)j->count;
        for (int i = 0; i < j->images; i++)
            if (i % j->groups != g) kept[n++] = i;
        j->statistics(j->context, kept, n, round);
        for (int k = 0; k < j->count; k++) j->rest[(size_t)k * (size_t)j->groups + (size_t)g] = round[k];
    }
}

/* In place: the influences. A figure that is none without some group has no interval. */
static tips_figure sum_up(const left_out *j, int k, tips_scale scale) {
    double *off = j->rest + (size_t)k * (size_t)j->groups, sum = 0;
    for (int g = 0; g < j->groups; g++) sum += off[g];
    if (isnan(sum)) return tips__figure_plain(j->values[k]);
    for (int g = 0; g < j->groups; g++) off[g] = (j->groups - 1) * (sum / j->groups - off[g]);
    return tips__figure_of_spread(j->values[k], off, j->groups, j->images, scale);
}

static void fill(const left_out *j, const tips_scale *scales, tips_figure *out) {
    bool any = false;
    for (int i = 0; i < j->images; i++) j->kept[i] = i;
    j->statistics(j->context, j->kept, j->images, j->values);
    for (int k = 0; k < j->count; k++) any = any || !isnan(j->values[k]);
    if (!any) return;
    leave_out_each(j);
    for (int k = 0; k < j->count; k++) out[k] = sum_up(j, k, scales[k]);
}

tips_status tips__jackknife_several(tips_statistics *statistics, const void *context, const tips_scale *scales,
                                    int count, int images, tips_figure *out) {
    const size_t n = (size_t)count, threads = (size_t)tips__threads();
    left_out j = {.statistics = statistics, .context = context, .count = count, .images = images};
    j.groups = images > TIPS_JACKKNIFE_MOST ? TIPS_JACKKNIFE_GROUPS : images;
    for (int k = 0; k < count; k++) out[k] = tips__figure_none();
    if (images < 1) return TIPS_OK;
    TIPS_TRY(
        tips__new(&j.values, n * (1 + (size_t)j.groups + threads) * sizeof *j.values, "figures of parts of a set"));
    j.rest = j.values + n;
    j.round = j.rest + n * (size_t)j.groups;
    const tips_status status = tips__new(&j.kept, threads * (size_t)images * sizeof *j.kept, "parts of a set");
    if (status == TIPS_OK) {
        fill(&j, scales, out);
        tips__free(j.kept);
    }
    tips__free(j.values);
    return status;
}

typedef struct one_statistic {
    tips_statistic *of;
    const void *context;
} one_statistic;

static void fill_one(const void *context, const int *drawn, int images, double *value) {
    const one_statistic *s = context;
    *value = s->of(s->context, drawn, images);
}

tips_status tips__jackknife(tips_statistic *statistic, const void *context, tips_scale scale, int images,
                            tips_figure *out) {
    return tips__jackknife_several(fill_one, &(one_statistic){statistic, context}, &scale, 1, images, out);
}
