/* Patches: a square anywhere in each picture is erased. */
#include "attack/attack_method.h"

#include "core/fail.h"
#include "core/rng.h"
#include "image/planes.h"

#include <math.h>
#include <stdio.h>

enum { BLACK, MEAN };
static const char *const fill_names[] = {"black", "mean", NULL};

typedef struct patch_config {
    const char *size; /* read elsewhere: the strengths */
    int fill;
} patch_config;
TIPS_ATTACK_CHECK_CONFIG(patch_config);

static const tips_option options[] = {
    {.name = "size",
     .type = TIPS_OPT_TEXT,
     .offset = offsetof(patch_config, size),
     .fallback = "a curve",
     .help =
         "side of the square: up to 1 in parts of the shorter side, such as 1/8, above it in pixels; several joined by "
         "+"},
    {.name = "fill",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(patch_config, fill),
     .fallback = "black",
     .choices = fill_names,
     .help = "what the square shows: black, or the mean that the network's input is normalised with"},
    {.type = TIPS_OPT_END},
};

static const char *variant(const void *config) { return ((const patch_config *)config)->fill == MEAN ? "mean" : ""; }

static int usual(const void *config, const int size[2], tips_strength *out) {
    enum { COUNT = 8 };
    (void)config, (void)size;
    for (int i = 0; i < COUNT; i++) {
        snprintf(out[i].text, sizeof out[i].text, "%d/16", i + 1);
        out[i].value = (i + 1) / 16.0;
    }
    return COUNT;
}

static const char *axis(const void *config, double *scale) {
    (void)config;
    *scale = 100;
    return "side of the patch, % of the shorter side";
}

static int least(int a, int b) { return a < b ? a : b; }

/* Pixels as a part of the shorter side. */
static double in_usual_unit(const tips_strength *s, const int size[2]) {
    return s->value <= 1 ? s->value : s->value / least(size[0], size[1]);
}

static double passes(const void *config) {
    (void)config;
    return 0;
}

/* Up to 1 it is a share of the shorter side, above it a number of pixels. */
static int side_of(double size, int shorter) {
    return least((int)nearbyint(size <= 1 ? size * shorter : size), shorter);
}

static tips_status check(const void *config, const tips_strength *s, const int size[2]) {
    (void)config;
    if (!size || s->value == 0) return TIPS_OK;
    const int shorter = least(size[0], size[1]);
    if (s->value > 1 && s->value > shorter)
        TIPS_FAIL(TIPS_RANGE,
                  "--attack: patch:size=%s is more than the %d pixels of the input; up to 1 it is a part of "
                  "them, such as 1/8",
                  s->text, shorter);
    if (side_of(s->value, shorter) == 0)
        TIPS_FAIL(TIPS_RANGE, "--attack: patch:size=%s is less than half a pixel of an input of %d", s->text, shorter);
    return TIPS_OK;
}

static void erase(const tips_preprocess *p, int top, int left, int side, int fill, float *planes) {
    for (int k = 0; k < p->channels; k++) {
        float *plane = planes + (ptrdiff_t)tips__plane_of(p, k) * p->height * p->width;
        for (int y = top; y < top + side; y++)
            for (int x = left; x < left + side; x++) plane[(ptrdiff_t)y * p->width + x] = fill == MEAN ? p->mean[k] : 0;
    }
}

static tips_status apply(const tips_attack_job *job, const tips_changed_pictures *pictures) {
    const tips_preprocess *p = &job->model->preprocess;
    const size_t count = (size_t)p->channels * (size_t)p->height * (size_t)p->width;
    const int side = side_of(job->strength, least(p->height, p->width));
    for (int i = 0; i < pictures->count; i++) {
        const tips_rng rng = {job->seed, tips__rng_mix((uint64_t)pictures->index[i], 0x706174)};
        const int top = (int)tips__rng_below(rng, 0, (uint32_t)(p->height - side + 1));
        const int left = (int)tips__rng_below(rng, 1, (uint32_t)(p->width - side + 1));
        erase(p, top, left, side, ((const patch_config *)job->config)->fill, pictures->planes + (size_t)i * count);
    }
    return TIPS_OK;
}

const tips_attack_method tips__attack_patch = {
    .name = "patch",
    .brief = "a square of each picture is erased",
    .options = options,
    .config_size = sizeof(patch_config),
    .strength = "size",
    .variant = variant,
    .usual = usual,
    .in_usual_unit = in_usual_unit,
    .axis = axis,
    .check = check,
    .passes = passes,
    .apply = apply,
};
