/* All detections of a set by class and score, and the means over classes. */
#include "metric/average_precision.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A detection of the set, while they are sorted. */
typedef struct entry {
    double score;
    int32_t label, picture;
    int32_t rank, number; /* on its picture: among its class, among all */
    uint16_t hit[TIPS_AREAS], miss[TIPS_AREAS];
} entry;

/* Objects of a class on a picture. */
typedef struct present {
    int32_t label, picture;
    int32_t count[TIPS_AREAS];
} present;

/* A detection that met something, and how many of its kind had a better score on its picture. */
typedef struct early_hit {
    int32_t picture, rank;
    int32_t thresholds; /* by how many of COCO's it is a hit */
} early_hit;

/* Where a class begins in the lists, and how much of them it has. */
typedef struct run {
    int first, count;
} run;

typedef struct class_part {
    int32_t label;
    run presents, hits, marks[TIPS_AREAS];
} class_part;

struct tips_ap_index {
    int images, n_classes, threads, n_entries, n_presents;
    entry *entries; /* by class and score, until the marks are made of them */
    present *presents;
    class_part *classes;
    tips_mark *marks[TIPS_AREAS]; /* (n_entries) at most: those that count in the range */
    early_hit *hits;              /* (n_entries) at most: those of any area */
    int32_t *times;               /* (threads, images) */
};

static int by_score(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    if (x->picture != y->picture) return x->picture < y->picture ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static int by_picture(const void *a, const void *b) {
    const present *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    return (x->picture > y->picture) - (x->picture < y->picture);
}

static void gather(const tips_picture_finds *pictures, tips_ap_index *index) {
    entry *e = index->entries;
    present *p = index->presents;
    for (int i = 0; i < index->images; i++) {
        for (int k = 0; k < pictures[i].n_finds; k++, e++) {
            const tips_find *f = &pictures[i].finds[k];
            *e = (entry){.score = f->score, .label = f->label, .picture = i, .rank = f->rank, .number = k};
            memcpy(e->hit, f->hit, sizeof e->hit);
            memcpy(e->miss, f->miss, sizeof e->miss);
        }
        for (int k = 0; k < pictures[i].n_classes; k++, p++) {
            *p = (present){.label = pictures[i].classes[k].label, .picture = i};
            memcpy(p->count, pictures[i].classes[k].count, sizeof p->count);
        }
    }
    qsort(index->entries, (size_t)index->n_entries, sizeof *index->entries, by_score);
    qsort(index->presents, (size_t)index->n_presents, sizeof *index->presents, by_picture);
}

static int bits_in(unsigned bits) {
    int count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

/* The detections of a class, list by list. */
static void make_marks(tips_ap_index *index, class_part *c, const entry *entries, int n) {
    for (int i = 0; i < n; i++) {
        const entry *e = &entries[i];
        const int thresholds = bits_in(e->hit[TIPS_AREA_ALL] & ((1u << TIPS_COCO_THRESHOLDS) - 1));
        for (int range = 0; range < TIPS_AREAS; range++) {
            run *marks = &c->marks[range];
            if (e->hit[range] | e->miss[range])
                index->marks[range][marks->first + marks->count++] =
                    (tips_mark){e->hit[range], e->miss[range], e->picture};
        }
        if (thresholds) index->hits[c->hits.first + c->hits.count++] = (early_hit){e->picture, e->rank, thresholds};
    }
}

static int behind(run r) { return r.first + r.count; }

/* Begins where the class before it ends. */
static class_part *next_class(tips_ap_index *index) {
    class_part *c = &index->classes[index->n_classes++];
    *c = (class_part){0};
    if (c == index->classes) return c;
    c->presents.first = behind(c[-1].presents);
    c->hits.first = behind(c[-1].hits);
    for (int range = 0; range < TIPS_AREAS; range++) c->marks[range].first = behind(c[-1].marks[range]);
    return c;
}

/* Every class of a detection is that of a present, which may be of no objects. */
static void part(tips_ap_index *index) {
    for (int p = 0, e = 0; p < index->n_presents;) {
        class_part *c = next_class(index);
        const int first = e;
        c->label = index->presents[p].label;
        for (; p < index->n_presents && index->presents[p].label == c->label; p++) c->presents.count++;
        while (e < index->n_entries && index->entries[e].label == c->label) e++;
        make_marks(index, c, index->entries + first, e - first);
    }
}

static tips_status count_all(const tips_picture_finds *pictures, tips_ap_index *index) {
    int64_t entries = 0, presents = 0;
    for (int i = 0; i < index->images; i++) entries += pictures[i].n_finds, presents += pictures[i].n_classes;
    if (entries > INT32_MAX || presents > INT32_MAX)
        TIPS_FAIL(TIPS_RANGE, "%lld detections are too many", (long long)entries);
    index->n_entries = (int)entries;
    index->n_presents = (int)presents;
    return TIPS_OK;
}

static tips_status fill(const tips_picture_finds *pictures, tips_ap_index *index) {
    const size_t threads = (size_t)index->threads;
    TIPS_TRY(count_all(pictures, index));
    TIPS_TRY(tips__new(&index->entries, (size_t)index->n_entries * sizeof *index->entries, "the detections"));
    TIPS_TRY(tips__new(&index->presents, (size_t)index->n_presents * sizeof *index->presents, "the objects"));
    TIPS_TRY(tips__new(&index->classes, (size_t)index->n_presents * sizeof *index->classes, "the classes"));
    for (int range = 0; range < TIPS_AREAS; range++)
        TIPS_TRY(tips__new(&index->marks[range], (size_t)index->n_entries * sizeof *index->marks[range], "the marks"));
    TIPS_TRY(tips__new(&index->hits, (size_t)index->n_entries * sizeof *index->hits, "the hits"));
    TIPS_TRY(tips__new(&index->times, threads * (size_t)index->images * sizeof *index->times, "the pictures' weights"));
    gather(pictures, index);
    part(index);
    tips__free(index->entries);
    index->entries = NULL;
    return TIPS_OK;
}

tips_status tips__ap_index_create(const tips_picture_finds *pictures, int images, tips_ap_index **out) {
    tips_ap_index *index;
    TIPS_TRY(tips__new_zero(&index, sizeof *index, "the detections of a set"));
    index->images = images;
    index->threads = tips__threads();
    const tips_status status = fill(pictures, index);
    if (status == TIPS_OK) *out = index;
    else tips__ap_index_destroy(index);
    return status;
}

void tips__ap_index_destroy(tips_ap_index *index) {
    if (!index) return;
    tips__free(index->entries);
    tips__free(index->presents);
    tips__free(index->classes);
    for (int range = 0; range < TIPS_AREAS; range++) tips__free(index->marks[range]);
    tips__free(index->hits);
    tips__free(index->times);
    tips__free(index);
}

/* How often each picture was drawn, in this thread's room; NULL for once. */
static const int32_t *times_of(const tips_ap_index *index, const int *drawn, int n) {
    if (!drawn) return NULL;
    int32_t *times = index->times + (size_t)omp_get_thread_num() * (size_t)index->images;
    memset(times, 0, (size_t)index->images * sizeof *times);
    for (int i = 0; i < n; i++) times[drawn[i]]++;
    return times;
}

static int64_t objects_of(const tips_ap_index *index, const class_part *c, const int32_t *times, int range) {
    int64_t sum = 0;
    for (int i = 0; i < c->presents.count; i++) {
        const present *p = &index->presents[c->presents.first + i];
        sum += (int64_t)p->count[range] * (times ? times[p->picture] : 1);
    }
    return sum;
}

static tips_curve curve_of(const tips_ap_index *index, const class_part *c, const int32_t *times, int range,
                           int64_t objects) {
    const run *marks = &c->marks[range];
    return tips__precision_curve(index->marks[range] + marks->first, marks->count, times, objects);
}

/* The recall of the first `most` detections of each picture, mean over thresholds. */
static double recall_of_first(const tips_ap_index *index, const class_part *c, const int32_t *times, int most,
                              int64_t objects) {
    int64_t hits = 0;
    for (int i = 0; i < c->hits.count; i++) {
        const early_hit *h = &index->hits[c->hits.first + i];
        if (h->rank < most) hits += (int64_t)h->thresholds * (times ? times[h->picture] : 1);
    }
    return (double)hits / (double)objects / TIPS_COCO_THRESHOLDS;
}

static double mean(const double *values) {
    double sum = 0;
    for (int t = 0; t < TIPS_COCO_THRESHOLDS; t++) sum += values[t];
    return sum / TIPS_COCO_THRESHOLDS;
}

/* Sums over classes, and how many classes they are of. */
typedef struct sums {
    double of[TIPS_AP_FIGURES];
    int classes[TIPS_AP_FIGURES];
} sums;

static void add(sums *s, int figure, double value) {
    s->of[figure] += value;
    s->classes[figure]++;
}

static void add_pair(sums *s, const tips_curve *curve) {
    add(s, TIPS_AP, mean(curve->precision));
    add(s, TIPS_AP50, curve->precision[0]);
}

static void add_whole(const tips_ap_index *index, const class_part *c, const int32_t *times, sums *s) {
    const int64_t objects = objects_of(index, c, times, TIPS_AREA_ALL);
    if (objects == 0) return;
    const tips_curve curve = curve_of(index, c, times, TIPS_AREA_ALL, objects);
    add_pair(s, &curve);
    add(s, TIPS_AP75, curve.precision[TIPS_COCO_THRESHOLDS / 2]);
    add(s, TIPS_AR1, recall_of_first(index, c, times, 1, objects));
    add(s, TIPS_AR10, recall_of_first(index, c, times, 10, objects));
    add(s, TIPS_AR100, mean(curve.recall));
    add(s, TIPS_AP_VOC, curve.voc);
    add(s, TIPS_AP_VOC07, curve.voc07);
}

static void add_range(const tips_ap_index *index, const class_part *c, const int32_t *times, int range, sums *s) {
    const int64_t objects = objects_of(index, c, times, range);
    if (objects == 0) return;
    const tips_curve curve = curve_of(index, c, times, range, objects);
    add(s, TIPS_AP_SMALL + range - TIPS_AREA_SMALL, mean(curve.precision));
    add(s, TIPS_AR_SMALL + range - TIPS_AREA_SMALL, mean(curve.recall));
}

static double mean_of(const sums *s, int figure) {
    return s->classes[figure] ? s->of[figure] / s->classes[figure] : NAN;
}

void tips__ap_figures(const tips_ap_index *index, const int *drawn, int n, double figures[TIPS_AP_FIGURES]) {
    const int32_t *times = times_of(index, drawn, n);
    sums s = {0};
    for (int i = 0; i < index->n_classes; i++) {
        add_whole(index, &index->classes[i], times, &s);
        for (int range = TIPS_AREA_SMALL; range < TIPS_AREAS; range++)
            add_range(index, &index->classes[i], times, range, &s);
    }
    for (int f = 0; f < TIPS_AP_FIGURES; f++) figures[f] = mean_of(&s, f);
}

void tips__ap_pair(const tips_ap_index *index, const int *drawn, int n, double *ap, double *ap50) {
    const int32_t *times = times_of(index, drawn, n);
    sums s = {0};
    for (int i = 0; i < index->n_classes; i++) {
        const class_part *c = &index->classes[i];
        const int64_t objects = objects_of(index, c, times, TIPS_AREA_ALL);
        if (objects == 0) continue;
        const tips_curve curve = curve_of(index, c, times, TIPS_AREA_ALL, objects);
        add_pair(&s, &curve);
    }
    *ap = mean_of(&s, TIPS_AP);
    *ap50 = mean_of(&s, TIPS_AP50);
}

double tips__ap_of_class(const tips_ap_index *index, const int *drawn, int n, int32_t label) {
    const int32_t *times = times_of(index, drawn, n);
    for (int i = 0; i < index->n_classes; i++) {
        const class_part *c = &index->classes[i];
        if (c->label != label) continue;
        const int64_t objects = objects_of(index, c, times, TIPS_AREA_ALL);
        if (objects == 0) return NAN;
        const tips_curve curve = curve_of(index, c, times, TIPS_AREA_ALL, objects);
        return mean(curve.precision);
    }
    return NAN;
}

static void figures_in_percent(const void *context, const int *drawn, int images, double *values) {
    tips__ap_figures(context, drawn, images, values);
    for (int f = 0; f < TIPS_AP_FIGURES; f++) values[f] *= 100;
}

tips_status tips__ap_intervals(const tips_ap_index *index, tips_figure figures[TIPS_AP_FIGURES]) {
    static const tips_scale shares[TIPS_AP_FIGURES] = {TIPS_SCALE_SHARE};
    return tips__jackknife_several(figures_in_percent, index, shares, TIPS_AP_FIGURES, index->images, figures);
}

typedef struct one_class {
    const tips_ap_index *index;
    int32_t label;
} one_class;

static double class_in_percent(const void *context, const int *drawn, int images) {
    const one_class *c = context;
    return 100 * tips__ap_of_class(c->index, drawn, images, c->label);
}

tips_status tips__ap_class_interval(const tips_ap_index *index, int32_t label, tips_figure *figure) {
    return tips__jackknife(class_in_percent, &(one_class){index, label}, TIPS_SCALE_SHARE, index->images, figure);
}
