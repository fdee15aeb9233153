/* Statistics of pictures, by threads that share exact sums. */
#include "data/statistics.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/dataset_format.h"
#include "data/permutation.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { STREAM_STATISTICS = 0x5354, TEXT_SIZE = 1024 };

typedef struct sums {
    int read;
    uint64_t pixels, value[3], square[3], side[2];
    int least[2], most[2];
    uint64_t mask_pixels[TIPS_COLOURS];
    int mask_pictures[TIPS_COLOURS];
} sums;

/* The first failure in the order of the pictures. */
typedef struct failure {
    tips_status status;
    int at;
    char text[TEXT_SIZE];
} failure;

static void add_picture(sums *s, const tips_image *picture) {
    const int side[2] = {picture->h, picture->w};
    const ptrdiff_t pixels = (ptrdiff_t)picture->h * picture->w;
    for (int k = 0; k < 3; k++) {
        const uint8_t *p = picture->pixels + (picture->c == 3 ? k : 0);
        uint64_t value = 0, square = 0;
        for (ptrdiff_t i = 0; i < pixels; i++, p += picture->c) {
            value += *p;
            square += (uint64_t)*p * *p;
        }
        s->value[k] += value;
        s->square[k] += square;
    }
    for (int i = 0; i < 2; i++) {
        s->least[i] = s->read == 0 || side[i] < s->least[i] ? side[i] : s->least[i];
        s->most[i] = side[i] > s->most[i] ? side[i] : s->most[i];
        s->side[i] += (uint64_t)side[i];
    }
    s->pixels += (uint64_t)pixels;
    s->read++;
}

static void add_mask(sums *s, const tips_image *mask) {
    uint32_t counts[TIPS_COLOURS] = {0}; /* a picture has at most 2^28 pixels */
    for (ptrdiff_t i = 0; i < (ptrdiff_t)mask->h * mask->w; i++) counts[mask->pixels[i]]++;
    for (int v = 0; v < TIPS_COLOURS; v++) {
        s->mask_pixels[v] += counts[v];
        s->mask_pictures[v] += counts[v] > 0;
    }
}

static void join(sums *all, const sums *part) {
    if (part->read == 0) return;
    for (int k = 0; k < 3; k++) {
        all->value[k] += part->value[k];
        all->square[k] += part->square[k];
    }
    for (int i = 0; i < 2; i++) {
        all->least[i] = all->read == 0 || part->least[i] < all->least[i] ? part->least[i] : all->least[i];
        all->most[i] = part->most[i] > all->most[i] ? part->most[i] : all->most[i];
        all->side[i] += part->side[i];
    }
    for (int v = 0; v < TIPS_COLOURS; v++) {
        all->mask_pixels[v] += part->mask_pixels[v];
        all->mask_pictures[v] += part->mask_pictures[v];
    }
    all->pixels += part->pixels;
    all->read += part->read;
}

static void note_failure(failure *f, tips_status status, int at) {
    if (f->status != TIPS_OK && f->at < at) return;
    f->status = status;
    f->at = at;
    snprintf(f->text, sizeof f->text, "%s", tips_last_error());
}

static tips_status add_item(tips_dataset *set, tips_split split, unsigned marks, int index, sums *s) {
    tips_image picture;
    tips_annotation annotation;
    TIPS_TRY(tips__dataset_read_annotated(set, split, index, marks, &picture, &annotation));
    add_picture(s, &picture);
    if (marks & TIPS_ANNOTATES_MASK) add_mask(s, &annotation.mask);
    tips__annotation_clear(&annotation);
    tips__image_free(&picture);
    return TIPS_OK;
}

static tips_status gather(tips_dataset *set, tips_split split, unsigned marks, const int *order, int count, sums *all) {
    failure first = {.status = TIPS_OK};
    atomic_int next = 0; /* whoever is free takes it: pictures differ in size */
    const tips_allocator *allocator = tips__allocator();
    TIPS_PRAGMA(omp parallel num_threads(tips__threads())) {
        sums own = {0};
        const tips_allocator *before = tips_use_allocator(allocator);
        for (int i; (i = atomic_fetch_add(&next, 1)) < count;) {
            const tips_status status = add_item(set, split, marks, order[i], &own);
            if (status != TIPS_OK && !tips__dataset_may_skip(set, status)) {
                TIPS_PRAGMA(omp critical(tips_statistics_failure))
                note_failure(&first, status, i);
            }
        }
        TIPS_PRAGMA(omp critical(tips_statistics_sums))
        join(all, &own);
        tips_use_allocator(before);
    }
    if (first.status != TIPS_OK) TIPS_FAIL(first.status, "%s", first.text);
    return TIPS_OK;
}

static void conclude(const sums *all, tips_statistics *out) {
    *out = (tips_statistics){.read = all->read};
    for (int k = 0; k < 3; k++) {
        const double n = (double)all->pixels, mean = (double)all->value[k] / n;
        out->mean[k] = mean / 255;
        out->deviation[k] = sqrt(fmax((double)all->square[k] / n - mean * mean, 0)) / 255;
    }
    for (int i = 0; i < 2; i++) {
        out->min_size[i] = all->least[i];
        out->max_size[i] = all->most[i];
        out->mean_size[i] = (double)all->side[i] / all->read;
    }
    memcpy(out->mask_pixels, all->mask_pixels, sizeof out->mask_pixels);
    memcpy(out->mask_pictures, all->mask_pictures, sizeof out->mask_pictures);
}

tips_status tips__dataset_statistics(tips_dataset *set, tips_split split, unsigned marks, int limit, uint64_t seed,
                                     tips_statistics *out) {
    const int count = tips__dataset_count(set, split);
    int *order;
    sums all = {0};
    TIPS_TRY(tips__new(&order, (size_t)count * sizeof *order, "an order of pictures"));
    tips__permutation((tips_rng){seed, STREAM_STATISTICS}, count, order);
    const tips_status status = gather(set, split, marks, order, limit > 0 && limit < count ? limit : count, &all);
    tips__free(order);
    TIPS_TRY(status);
    if (all.read == 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: none of the %s pictures can be read", tips__dataset_path(set),
                  tips__split_names[split]);
    conclude(&all, out);
    return TIPS_OK;
}
