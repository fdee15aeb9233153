/* Learning-rate schedules; see the formulas in the header. */
#include "train/schedule.h"

#include <math.h>
#include <stddef.h>

const char *const tips__schedule_names[] = {"step", "cosine", "constant", "poly", NULL};

static double drops(const tips_schedule *s, uint64_t epoch) {
    const int size = s->step_size > 0 ? s->step_size : (s->epochs + 2) / 3;
    return size > 0 ? floor((double)epoch / size) : 0;
}

/* Of what is left after the warm-up, 0..1. */
static double share_done(double warm, double all, uint64_t step) {
    return all > warm ? fmin(((double)step - warm) / (all - warm), 1) : 0;
}

double tips__schedule_lr(const tips_schedule *s, int batches, uint64_t step) {
    const double warm = (double)s->warmup * batches, all = (double)s->epochs * batches;
    const double pi = 3.14159265358979323846;
    if ((double)step < warm) return s->lr * ((double)step + 1) / warm;
    switch (s->kind) {
    case TIPS_SCHEDULE_STEP: return s->lr * pow(s->gamma, drops(s, step / (uint64_t)batches));
    case TIPS_SCHEDULE_COSINE: return s->lr * (1 + cos(pi * share_done(warm, all, step))) / 2;
    case TIPS_SCHEDULE_POLY: return s->lr * pow(1 - share_done(warm, all, step), s->power);
    default: return s->lr;
    }
}
