/* FGSM and PGD as Foolbox 3 defines them: x becomes clip(project(x + a n(g))), within eps of the picture by a norm and
 * in 0..1. n is the sign of the gradient for linf, the gradient over its length for l2. */
#include "attack/attack_method.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/rng.h"
#include "core/threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINF, L2 };
static const char *const norm_names[] = {"linf", "l2", NULL};
static const double SHORTEST = 1e-12; /* what a length is at least, to divide by it */

typedef struct descent_config {
    const char *eps; /* read elsewhere: the strengths */
    int norm, steps, restarts;
    bool start;
    double rel, step;
} descent_config;
TIPS_ATTACK_CHECK_CONFIG(descent_config);

#define EPS_ROW                                                                                               \
    {                                                                                                         \
        .name = "eps", .type = TIPS_OPT_TEXT, .offset = offsetof(descent_config, eps), .fallback = "a curve", \
        .help = "how far from the picture, in numbers of 0..1, such as 2/255; several joined by +"            \
    }

#define NORM_ROW                                                                                               \
    {                                                                                                          \
        .name = "norm", .type = TIPS_OPT_CHOICE, .offset = offsetof(descent_config, norm), .fallback = "linf", \
        .choices = norm_names,                                                                                 \
        .help = "how far is measured: the largest change of a number, or the length of all changes together"   \
    }

static const tips_option fgsm_options[] = {EPS_ROW, NORM_ROW, {.type = TIPS_OPT_END}};

static const tips_option pgd_options[] = {
    EPS_ROW,
    NORM_ROW,
    {.name = "steps",
     .type = TIPS_OPT_INT,
     .offset = offsetof(descent_config, steps),
     .fallback = "0",
     .min = 0,
     .max = 100000,
     .help = "steps; 0 means Foolbox's number, 40 for linf and 50 for l2"},
    {.name = "rel",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(descent_config, rel),
     .fallback = "0",
     .min = 0,
     .max = 1000,
     .help = "size of a step in parts of eps; 0 means Foolbox's, 0.01/0.3 for linf and 0.025 for l2"},
    {.name = "step",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(descent_config, step),
     .fallback = "0",
     .min = 0,
     .max = 1000,
     .help = "size of a step itself, such as 1/255; 0 means that rel says it"},
    {.name = "start",
     .type = TIPS_OPT_BOOL,
     .offset = offsetof(descent_config, start),
     .fallback = "true",
     .help = "begin somewhere in the ball instead of at the picture"},
    {.name = "restarts",
     .type = TIPS_OPT_INT,
     .offset = offsetof(descent_config, restarts),
     .fallback = "3",
     .min = 1,
     .max = 1000,
     .help = "how often it begins anew, each time somewhere else; the worst result counts"},
    {.type = TIPS_OPT_END},
};

static const char *variant(const void *config) { return norm_names[((const descent_config *)config)->norm]; }

/* For l2 in proportion to the side, in whole multiples of 32 pixels. */
static int usual(const void *config, const int size[2], tips_strength *out) {
    static const char *const linf[] = {"0.5/255", "1/255", "2/255", "4/255", "8/255"};
    static const double l2[] = {.1, .25, .5, 1, 2};
    enum { COUNT = sizeof l2 / sizeof l2[0] };
    const double times = fmax(1, nearbyint(sqrt((double)size[0] * size[1]) / 32));
    for (int i = 0; i < COUNT; i++) {
        char text[TIPS_NUMBER_SIZE];
        tips__number_format(nearbyint(l2[i] * times * 1000) / 1000, text, sizeof text);
        snprintf(out[i].text, sizeof out[i].text, "%s",
                 ((const descent_config *)config)->norm == LINF ? linf[i] : text);
        tips__fraction_parse(out[i].text, &out[i].value);
    }
    return COUNT;
}

static const char *axis(const void *config, double *scale) {
    const bool is_linf = ((const descent_config *)config)->norm == LINF;
    *scale = is_linf ? 255 : 1;
    return is_linf ? "eps in 255ths, linf" : "eps, l2";
}

/* Pixels lie in 0..1: nothing is farther than 1 from anything. */
static tips_status check(const void *config, const tips_strength *s, const int size[2]) {
    (void)size;
    if (((const descent_config *)config)->norm == LINF && s->value > 1)
        TIPS_FAIL(TIPS_RANGE, "--attack: eps=%s is more than 1, all that a pixel has; write eps=%s/255 for grey levels",
                  s->text, s->text);
    return TIPS_OK;
}

static int steps_of(const descent_config *c) { return c->steps > 0 ? c->steps : c->norm == LINF ? 40 : 50; }

static double step_of(const descent_config *c, double eps) {
    if (c->step > 0) return c->step;
    return eps * (c->rel > 0 ? c->rel : c->norm == LINF ? 0.01 / 0.3 : 0.025);
}

/* One picture on its way. */
typedef struct ball {
    int norm;
    double eps;
    size_t count;        /* numbers of a picture */
    const float *centre; /* (count): the picture as it was */
} ball;

static double length_of(const float *x, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)x[i] * (double)x[i];
    return sqrt(sum);
}

static float clipped(double x) { return (float)(x < 0 ? 0 : x > 1 ? 1 : x); }

/* Moves x by `change` (count), which it may overwrite, back into the ball, then into 0..1. */
static void move_within(const ball *b, float *change, double scale, float *x) {
    const float bound = (float)b->eps;
    for (size_t i = 0; i < b->count; i++) change[i] = (x[i] + (float)scale * change[i]) - b->centre[i];
    const double length = b->norm == L2 ? length_of(change, b->count) : 0;
    const float shrink = length > b->eps ? (float)(b->eps / fmax(length, SHORTEST)) : 1;
    for (size_t i = 0; i < b->count; i++) {
        float by = change[i] * shrink;
        if (b->norm == LINF) by = by > bound ? bound : by < -bound ? -bound : by;
        x[i] = clipped(b->centre[i] + by);
    }
}

static void ascend(const ball *b, double step, float *gradient, float *x) {
    if (b->norm == LINF)
        for (size_t i = 0; i < b->count; i++) gradient[i] = (float)((gradient[i] > 0) - (gradient[i] < 0));
    const double over = b->norm == LINF ? 1 : fmax(length_of(gradient, b->count), SHORTEST);
    move_within(b, gradient, step / over, x);
}

/* Anywhere in the ball, all places alike: of l2 a direction of normal numbers, and a radius. */
static void start_within(const ball *b, tips_rng rng, float *room, float *x) {
    for (size_t i = 0; i < b->count; i++)
        room[i] = (float)(b->norm == LINF ? 2 * tips__rng_uniform(rng, i) - 1 : tips__rng_normal(rng, i));
    double scale = b->eps;
    if (b->norm == L2)
        scale *=
            pow(tips__rng_uniform(rng, b->count), 1 / (double)b->count) / fmax(length_of(room, b->count), SHORTEST);
    move_within(b, room, scale, x);
}

typedef struct descent {
    const tips_attack_job *job;
    const descent_config *config;
    const tips_changed_pictures *pictures; /* their planes are where the search is */
    size_t count;                          /* numbers of a picture */
    float *centre, *worst, *gradients;     /* (pictures, count) */
    tips_hardness *now, *most;             /* (pictures): of the search, and of the worst so far */
} descent;

static ball ball_of(const descent *d, int i) {
    return (ball){d->config->norm, d->job->strength, d->count, d->centre + (size_t)i * d->count};
}

static void begin(const descent *d, int round) {
    memcpy(d->pictures->planes, d->centre, (size_t)d->pictures->count * d->count * sizeof(float));
    if (!d->config->start) return;
    TIPS_PARALLEL_FOR (i, d->pictures->count) {
        const ball b = ball_of(d, i);
        const tips_rng rng = {d->job->seed, tips__rng_mix((uint64_t)d->pictures->index[i], (uint64_t)round + 1)};
        start_within(&b, rng, d->gradients + (size_t)i * d->count, d->pictures->planes + (size_t)i * d->count);
    }
}

static tips_status take_steps(const descent *d) {
    const double step = step_of(d->config, d->job->strength);
    for (int k = 0; k < steps_of(d->config); k++) {
        TIPS_TRY(tips__gradient_net_run(d->job->gradients, d->pictures, d->now, d->gradients));
        TIPS_PARALLEL_FOR (i, d->pictures->count) {
            const ball b = ball_of(d, i);
            ascend(&b, step, d->gradients + (size_t)i * d->count, d->pictures->planes + (size_t)i * d->count);
        }
        TIPS_TRY(d->job->tick(d->job->context, 2.0 * d->pictures->count));
    }
    return TIPS_OK;
}

static bool is_worse(tips_hardness a, tips_hardness b) {
    return a.right != b.right ? a.right < b.right : a.loss > b.loss;
}

/* Keeps the worst of each picture, which is the first that is wrong throughout: so it does not depend on the pictures
 * beside it. True once all are. */
static bool keep_worst(const descent *d, int round) {
    bool all = true;
    for (int i = 0; i < d->pictures->count; i++) {
        const size_t at = (size_t)i * d->count;
        if (round == 0 || (d->most[i].right > 0 && is_worse(d->now[i], d->most[i]))) {
            memcpy(d->worst + at, d->pictures->planes + at, d->count * sizeof(float));
            d->most[i] = d->now[i];
        }
        all = all && d->most[i].right == 0;
    }
    return all;
}

static tips_status search(const descent *d) {
    const int rounds = d->config->start ? d->config->restarts : 1;
    const double a_round = 2.0 * steps_of(d->config) * d->pictures->count;
    for (int round = 0; round < rounds; round++) {
        begin(d, round);
        TIPS_TRY(take_steps(d));
        if (rounds == 1) return TIPS_OK;
        TIPS_TRY(tips__gradient_net_run(d->job->gradients, d->pictures, d->now, NULL));
        if (keep_worst(d, round)) { /* nothing to gain: the rest counts as done */
            TIPS_TRY(d->job->tick(d->job->context, a_round * (rounds - 1 - round)));
            break;
        }
    }
    memcpy(d->pictures->planes, d->worst, (size_t)d->pictures->count * d->count * sizeof(float));
    return TIPS_OK;
}

static tips_status run(const tips_attack_job *job, const descent_config *config,
                       const tips_changed_pictures *pictures) {
    const tips_preprocess *p = &job->model->preprocess;
    const size_t n = (size_t)pictures->count;
    descent d = {job, config, pictures, (size_t)p->channels * (size_t)p->height * (size_t)p->width, 0, 0, 0, 0, 0};
    float *room;
    if (job->strength == 0) return TIPS_OK;
    TIPS_TRY(tips__new(&room, 3 * n * d.count * sizeof *room, "an attack"));
    d.centre = room, d.worst = room + n * d.count, d.gradients = room + 2 * n * d.count;
    tips_status status = tips__new(&d.now, 2 * n * sizeof *d.now, "an attack");
    if (status == TIPS_OK) {
        d.most = d.now + n;
        memcpy(d.centre, pictures->planes, n * d.count * sizeof *room);
        status = search(&d);
        tips__free(d.now);
    }
    tips__free(room);
    return status;
}

static descent_config one_step(const void *config) {
    return (descent_config){.norm = ((const descent_config *)config)->norm, .steps = 1, .rel = 1, .restarts = 1};
}

static tips_status apply_fgsm(const tips_attack_job *job, const tips_changed_pictures *pictures) {
    const descent_config config = one_step(job->config);
    return run(job, &config, pictures);
}

static tips_status apply_pgd(const tips_attack_job *job, const tips_changed_pictures *pictures) {
    return run(job, job->config, pictures);
}

static double passes_of_fgsm(const void *config) {
    (void)config;
    return 2;
}

static double passes_of_pgd(const void *config) {
    const descent_config *c = config;
    return 2.0 * steps_of(c) * (c->start ? c->restarts : 1);
}

const tips_attack_method tips__attack_fgsm = {
    .name = "fgsm",
    .brief = "one step along the gradient, as far as eps allows",
    .options = fgsm_options,
    .config_size = sizeof(descent_config),
    .strength = "eps",
    .gradients = true,
    .variant = variant,
    .usual = usual,
    .axis = axis,
    .check = check,
    .passes = passes_of_fgsm,
    .apply = apply_fgsm,
};

const tips_attack_method tips__attack_pgd = {
    .name = "pgd",
    .brief = "many small steps along the gradient, each brought back to within eps",
    .options = pgd_options,
    .config_size = sizeof(descent_config),
    .strength = "eps",
    .gradients = true,
    .variant = variant,
    .usual = usual,
    .axis = axis,
    .check = check,
    .passes = passes_of_pgd,
    .apply = apply_pgd,
};
