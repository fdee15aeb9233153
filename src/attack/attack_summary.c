/* Means over severities and corruptions. CE_c = sum_s E_cs / sum_s E_cs of AlexNet; relative: of the errors beyond the
 * clean one. mCE is their mean over the usual corruptions, if all of them were measured at all severities, of a network
 * with ImageNet's classes and the constants of its pictures. */
#include "attack/attack_parts.h"

#include <math.h>
#include <string.h>

enum { IMAGENET_CLASSES = 1000 };
static const double ALEXNET_CLEAN = 43.5; /* percent */

static double error_of(const tips_figures *f) {
    const int row = tips__metric_main(f->task);
    return strcmp(f->task[row].unit, "%") == 0 ? 100 - f->own[row].value : NAN;
}

static double mean_of(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

static void fill_rows(tips_attack_result *r) {
    tips_corruption_result *rows = r->summary.rows;
    for (int i = 0; i < TIPS_CORRUPTIONS; i++)
        for (int s = 0; s < TIPS_SEVERITIES; s++) rows[i].error[s] = NAN;
    for (int i = 0; i < r->done; i++) {
        const tips_attack_case *one = &r->plan.cases[i];
        if (one->corruption >= 0) rows[one->corruption].error[one->severity - 1] = error_of(&r->figures[i]);
    }
    for (int i = 0; i < TIPS_CORRUPTIONS; i++) {
        const double alexnet = 100 * tips__corruptions[i].alexnet;
        rows[i].mean = mean_of(rows[i].error, TIPS_SEVERITIES);
        rows[i].ce = alexnet > 0 ? 100 * rows[i].mean / alexnet : NAN;
        rows[i].relative =
            alexnet > 0 ? 100 * (rows[i].mean - error_of(&r->clean_figures)) / (alexnet - ALEXNET_CLEAN) : NAN;
    }
}

/* A mean that grows; not a number while nothing is in it. */
typedef struct mean {
    double sum;
    int count;
} mean;

static void add(mean *m, double value) {
    m->sum += value;
    m->count++;
}

static double value_of(const mean *m) { return m->count > 0 ? m->sum / m->count : NAN; }

static bool counts(const tips_attack_plan *plan, int i) {
    return plan->with_frost || strcmp(tips__corruptions[i].name, "frost") != 0;
}

void tips__attack_sum_up(tips_attack_result *r, int classes) {
    tips_corruption_summary *s = &r->summary;
    mean error = {0}, ce = {0}, relative = {0}, groups[TIPS_CORRUPT_GROUPS] = {{0}}, ces[TIPS_CORRUPT_GROUPS] = {{0}};
    fill_rows(r);
    for (int i = 0; i < TIPS_USUAL_CORRUPTIONS; i++) {
        const int group = tips__corruptions[i].group;
        if (isnan(s->rows[i].mean)) continue;
        add(&error, s->rows[i].mean);
        add(&groups[group], s->rows[i].mean);
        if (!counts(&r->plan, i)) continue;
        add(&ce, s->rows[i].ce);
        add(&relative, s->rows[i].relative);
        add(&ces[group], s->rows[i].ce);
    }
    const int needed = TIPS_USUAL_CORRUPTIONS - !r->plan.with_frost;
    const bool is_whole = ce.count == needed && classes == IMAGENET_CLASSES && r->plan.scale == TIPS_CORRUPT_224;
    s->error = value_of(&error);
    s->measured = error.count;
    s->counted = is_whole ? needed : 0;
    s->mce = is_whole ? value_of(&ce) : NAN;
    s->relative = is_whole ? value_of(&relative) : NAN;
    for (int g = 0; g < TIPS_CORRUPT_GROUPS; g++) {
        s->groups[g] = value_of(&groups[g]);
        s->group_mce[g] = is_whole ? value_of(&ces[g]) : NAN;
    }
}
