/* The table of corruptions, and what is done around each of them. */
#include "corrupt/corrupt_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/option.h"

#include <math.h>

const char *const tips__corruption_groups[] = {"noise", "blur", "weather", "digital", NULL};

const tips_corruption tips__corruptions[TIPS_CORRUPTIONS] = {
#define TIPS_CORRUPTION(name, group, extra, alexnet) \
    {#name, TIPS_CORRUPT_##group, extra, alexnet, tips__corrupt_##name},
#include "corrupt/corruptions.def"
#undef TIPS_CORRUPTION
};

int tips__corruption_find(const char *name) {
    for (int i = 0; i < TIPS_CORRUPTIONS; i++)
        if (tips__same_name(tips__corruptions[i].name, name)) return i;
    return -1;
}

tips_draws tips__draws_for(const tips_corrupt_job *job, const char *what) {
    uint64_t stream = (uint64_t)job->severity;
    for (; *what; what++) stream = tips__rng_mix(stream, (uint64_t)(unsigned char)*what);
    return (tips_draws){{job->seed, tips__rng_mix(stream, (uint64_t)job->picture)}, 0};
}

int tips__beyond(tips_beyond rule, int i, int n) {
    if (i >= 0 && i < n) return i;
    if (rule == TIPS_BEYOND_NEAREST || n == 1) return i < 0 ? 0 : n - 1;
    const int skip = rule == TIPS_BEYOND_MIRROR, period = 2 * n - 2 * skip;
    i %= period;
    if (i < 0) i += period;
    return i < n ? i : period - 1 + skip - i;
}

tips_status tips__planes_to_image(int h, int w, int c, const double *planes, tips_image *out) {
    const size_t plane = (size_t)h * (size_t)w;
    TIPS_TRY(tips__image_allocate("a corrupted picture", w, h, c, out));
    for (size_t i = 0; i < plane; i++)
        for (int k = 0; k < c; k++)
            out->pixels[i * (size_t)c + (size_t)k] = (uint8_t)(tips__clip01(planes[(size_t)k * plane + i]) * 255);
    return TIPS_OK;
}

void tips__image_to_planes(const tips_image *image, double *planes) {
    const size_t plane = (size_t)image->h * (size_t)image->w, c = (size_t)image->c;
    for (size_t i = 0; i < plane; i++)
        for (size_t k = 0; k < c; k++) planes[k * plane + i] = image->pixels[i * c + k] / 255.0;
}

tips_status tips__corrupt(const tips_corruption *corruption, const tips_corrupt_job *job, float *planes) {
    const size_t count = tips__planes_size(job);
    double *exact;
    TIPS_TRY(tips__new(&exact, count * sizeof *exact, "a corrupted picture"));
    for (size_t i = 0; i < count; i++) exact[i] = nearbyint((double)planes[i] * 255) / 255.0;
    const tips_status status = corruption->apply(job, exact);
    for (size_t i = 0; status == TIPS_OK && i < count; i++)
        planes[i] = (float)(int)(tips__clip01(exact[i]) * 255) / 255.0f;
    tips__free(exact);
    return status;
}
