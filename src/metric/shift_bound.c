/* The greedy choice of a shift for every picture. What a change of one picture does is found by walking the classes of
 * that picture alone, each a sorted list with the picture's detections taken out and others put in. */
#include "metric/shift_precision.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SWEEPS = 100 };
static const double least_gain = 1e-12;

typedef struct entry {
    double score;
    int32_t picture, number; /* of the picture, and on it */
    uint16_t hit, miss;
} entry;

/* A class under the shifts that are chosen. */
typedef struct class_list {
    int32_t label;
    entry *entries; /* (capacity), by score, then by picture */
    int n, capacity;
    int here; /* most detections that the picture at hand has under any shift */
    int64_t objects;
    double ap; /* 0 without objects */
} class_list;

typedef struct search {
    const tips_picture_finds *finds; /* (images, shifts) */
    int images, shifts;
    double sign; /* 1: the largest AP is wanted, -1: the smallest */
    int *chosen; /* (images) */
    class_list *classes;
    int n_classes, most; /* classes, and the longest list of one */
    double sum;          /* of AP over the classes that have objects */
    int counted;         /* these */
    entry *entries;      /* of all lists */
    entry *merged;       /* (most): a list while it is changed */
    tips_mark *marks;    /* (threads, most) */
    double *results;     /* (shifts) */
} search;

static const tips_picture_finds *finds_of(const search *s, int picture, int shift) {
    return &s->finds[(ptrdiff_t)picture * s->shifts + shift];
}

static int by_label(const void *a, const void *b) {
    const class_list *x = a, *y = b;
    return (x->label > y->label) - (x->label < y->label);
}

static class_list *list_of(const search *s, int32_t label) {
    const class_list key = {.label = label};
    return s->n_classes ? bsearch(&key, s->classes, (size_t)s->n_classes, sizeof key, by_label) : NULL;
}

/* The detections of a class on a picture: a run, as they are sorted. */
typedef struct run {
    const tips_find *finds;
    int n;
    int64_t objects;
} run;

static run run_of(const tips_picture_finds *f, int32_t label) {
    run r = {f->finds, 0, 0};
    int i = 0;
    while (i < f->n_finds && f->finds[i].label < label) i++;
    r.finds += i;
    while (i + r.n < f->n_finds && f->finds[i + r.n].label == label) r.n++;
    for (int k = 0; k < f->n_classes; k++)
        if (f->classes[k].label == label) r.objects = f->classes[k].count[TIPS_AREA_ALL];
    return r;
}

/* Goes through a list with a picture's detections replaced by others. */
typedef struct replaced {
    const class_list *list;
    int32_t picture;
    const run *by;
    int at, put; /* next of the list, next of the others */
} replaced;

static bool next_entry(replaced *r, entry *out) {
    while (r->at < r->list->n && r->list->entries[r->at].picture == r->picture) r->at++;
    const entry *old = r->at < r->list->n ? &r->list->entries[r->at] : NULL;
    const tips_find *new = r->put < r->by->n ? &r->by->finds[r->put] : NULL;
    if (!old && !new) return false;
    if (!old || (new && (new->score > old->score || (new->score == old->score && r->picture < old->picture)))) {
        *out = (entry){new->score, r->picture, r->put, new->hit[TIPS_AREA_ALL], new->miss[TIPS_AREA_ALL]};
        r->put++;
    } else {
        *out = *old;
        r->at++;
    }
    return true;
}

static double mean_precision(const tips_mark *marks, int n, int64_t objects) {
    double sum = 0;
    if (objects == 0) return 0;
    const tips_curve curve = tips__precision_curve(marks, n, objects);
    for (int t = 0; t < TIPS_COCO_THRESHOLDS; t++) sum += curve.precision[t];
    return sum / TIPS_COCO_THRESHOLDS;
}

/* A class with another shift for a picture. */
static void try_class(const search *s, const class_list *list, int picture, int shift, double *sum, int *counted) {
    const run old = run_of(finds_of(s, picture, s->chosen[picture]), list->label);
    const run new = run_of(finds_of(s, picture, shift), list->label);
    const int64_t objects = list->objects - old.objects + new.objects;
    tips_mark *marks = s->marks + (size_t)omp_get_thread_num() * (size_t)s->most;
    replaced r = {.list = list, .picture = picture, .by = &new};
    entry e;
    int n = 0;
    while (next_entry(&r, &e)) marks[n++] = (tips_mark){e.hit, e.miss, 1};
    *sum += mean_precision(marks, n, objects) - list->ap;
    *counted += (objects > 0) - (list->objects > 0);
}

static bool has_class(const tips_picture_finds *f, int32_t label) {
    for (int k = 0; k < f->n_classes; k++)
        if (f->classes[k].label == label) return true;
    return false;
}

/* Classes that another shift of a picture changes: those it has now, then those it would have besides. */
static int touched(const search *s, int picture, int shift) {
    return finds_of(s, picture, s->chosen[picture])->n_classes + finds_of(s, picture, shift)->n_classes;
}

/* Number i of them, or NULL where it came before. */
static class_list *touched_list(const search *s, int picture, int shift, int i) {
    const tips_picture_finds *old = finds_of(s, picture, s->chosen[picture]), *new = finds_of(s, picture, shift);
    if (i < old->n_classes) return list_of(s, old->classes[i].label);
    const int32_t label = new->classes[i - old->n_classes].label;
    return has_class(old, label) ? NULL : list_of(s, label);
}

static bool is_alike(const tips_picture_finds *a, const tips_picture_finds *b) {
    return a->n_finds == b->n_finds && a->n_classes == b->n_classes &&
           memcmp(a->finds, b->finds, (size_t)a->n_finds * sizeof *a->finds) == 0 &&
           memcmp(a->classes, b->classes, (size_t)a->n_classes * sizeof *a->classes) == 0;
}

static double now(const search *s) { return s->counted ? s->sum / s->counted : NAN; }

static double try_shift(const search *s, int picture, int shift) {
    double sum = s->sum;
    int counted = s->counted;
    if (is_alike(finds_of(s, picture, shift), finds_of(s, picture, s->chosen[picture]))) return now(s);
    for (int i = 0; i < touched(s, picture, shift); i++) {
        const class_list *list = touched_list(s, picture, shift, i);
        if (list) try_class(s, list, picture, shift, &sum, &counted);
    }
    return counted ? sum / counted : NAN;
}

static void value_list(search *s, class_list *list) {
    for (int i = 0; i < list->n; i++) s->marks[i] = (tips_mark){list->entries[i].hit, list->entries[i].miss, 1};
    list->ap = mean_precision(s->marks, list->n, list->objects);
}

static void sum_up(search *s) {
    s->sum = 0, s->counted = 0;
    for (int c = 0; c < s->n_classes; c++)
        if (s->classes[c].objects > 0) s->sum += s->classes[c].ap, s->counted++;
}

static void take_class(search *s, class_list *list, int picture, int shift) {
    const run old = run_of(finds_of(s, picture, s->chosen[picture]), list->label);
    const run new = run_of(finds_of(s, picture, shift), list->label);
    replaced r = {.list = list, .picture = picture, .by = &new};
    int n = 0;
    while (next_entry(&r, &s->merged[n])) n++;
    memcpy(list->entries, s->merged, (size_t)n * sizeof *s->merged);
    list->n = n;
    list->objects += new.objects - old.objects;
    value_list(s, list);
}

static void take_shift(search *s, int picture, int shift) {
    for (int i = 0; i < touched(s, picture, shift); i++) {
        class_list *list = touched_list(s, picture, shift, i);
        if (list) take_class(s, list, picture, shift);
    }
    s->chosen[picture] = shift;
    sum_up(s);
}

/* Whether a picture got another shift. */
static bool improve(search *s, int picture) {
    int best = s->chosen[picture];
    double most = now(s);
    TIPS_PARALLEL_FOR (k, s->shifts) s->results[k] = try_shift(s, picture, k);
    for (int k = 0; k < s->shifts; k++)
        if (s->sign * (s->results[k] - most) > least_gain) most = s->results[k], best = k;
    if (best == s->chosen[picture]) return false;
    take_shift(s, picture, best);
    return true;
}

static void sweep(search *s) {
    bool changed = true;
    for (int round = 0; changed && round < MOST_SWEEPS; round++) {
        changed = false;
        for (int i = 0; i < s->images; i++) changed = improve(s, i) || changed;
    }
}

static tips_status add_class(search *s, int32_t label) {
    const size_t n = (size_t)s->n_classes;
    class_list *classes = tips__grow(s->classes, n * sizeof *classes, (n + 1) * sizeof *classes);
    if (!classes) TIPS_FAIL(TIPS_MEMORY, "out of memory for the classes");
    classes[n] = (class_list){.label = label};
    s->classes = classes;
    s->n_classes++;
    qsort(classes, n + 1, sizeof *classes, by_label);
    return TIPS_OK;
}

/* Every class that any picture has under any shift. */
static tips_status add_classes(search *s) {
    for (int i = 0; i < s->images; i++)
        for (int k = 0; k < s->shifts; k++) {
            const tips_picture_finds *f = finds_of(s, i, k);
            for (int c = 0; c < f->n_classes; c++)
                if (!list_of(s, f->classes[c].label)) TIPS_TRY(add_class(s, f->classes[c].label));
        }
    return TIPS_OK;
}

/* How many detections of each class there may be at a time, and in all. */
static size_t measure_lists(search *s) {
    size_t all = 0;
    for (int i = 0; i < s->images; i++) {
        for (int c = 0; c < s->n_classes; c++) s->classes[c].here = 0;
        for (int k = 0; k < s->shifts; k++) {
            const tips_picture_finds *f = finds_of(s, i, k);
            for (int c = 0; c < f->n_classes; c++) {
                class_list *list = list_of(s, f->classes[c].label);
                const int n = run_of(f, list->label).n;
                if (n > list->here) list->here = n;
            }
        }
        for (int c = 0; c < s->n_classes; c++) s->classes[c].capacity += s->classes[c].here;
    }
    for (int c = 0; c < s->n_classes; c++) {
        all += (size_t)s->classes[c].capacity;
        if (s->classes[c].capacity > s->most) s->most = s->classes[c].capacity;
    }
    return all;
}

static tips_status make_room(search *s) {
    TIPS_TRY(add_classes(s));
    const size_t all = measure_lists(s), most = (size_t)s->most;
    TIPS_TRY(tips__new(&s->chosen, (size_t)s->images * sizeof *s->chosen, "the pictures' shifts"));
    TIPS_TRY(tips__new(&s->entries, all * sizeof *s->entries, "the detections of a set"));
    TIPS_TRY(tips__new(&s->merged, most * sizeof *s->merged, "the detections of a class"));
    TIPS_TRY(tips__new(&s->results, (size_t)s->shifts * sizeof *s->results, "the shifts' precisions"));
    return tips__new(&s->marks, (size_t)tips__threads() * most * sizeof *s->marks, "the marks of a class");
}

static int by_score(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    if (x->picture != y->picture) return x->picture < y->picture ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void add_picture(search *s, int picture) {
    const tips_picture_finds *f = finds_of(s, picture, s->chosen[picture]);
    for (int k = 0; k < f->n_finds; k++) {
        const tips_find *find = &f->finds[k];
        class_list *list = list_of(s, find->label);
        list->entries[list->n++] =
            (entry){find->score, picture, find->rank, find->hit[TIPS_AREA_ALL], find->miss[TIPS_AREA_ALL]};
    }
    for (int k = 0; k < f->n_classes; k++)
        list_of(s, f->classes[k].label)->objects += f->classes[k].count[TIPS_AREA_ALL];
}

/* One shift for all. */
static void start_from(search *s, int shift) {
    entry *room = s->entries;
    for (int c = 0; c < s->n_classes; c++) {
        s->classes[c].entries = room;
        room += s->classes[c].capacity;
    }
    for (int i = 0; i < s->images; i++) {
        s->chosen[i] = shift;
        add_picture(s, i);
    }
    for (int c = 0; c < s->n_classes; c++) {
        qsort(s->classes[c].entries, (size_t)s->classes[c].n, sizeof(entry), by_score);
        value_list(s, &s->classes[c]);
    }
    sum_up(s);
}

tips_status tips__ap_bound(const tips_picture_finds *finds, int images, int shifts, int start, bool largest,
                           double *out) {
    search s = {.finds = finds, .images = images, .shifts = shifts, .sign = largest ? 1 : -1};
    const tips_status status = make_room(&s);
    if (status == TIPS_OK) {
        start_from(&s, start);
        sweep(&s);
        *out = now(&s);
    }
    void *const memory[] = {s.chosen, s.classes, s.entries, s.merged, s.results, s.marks};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++) tips__free(memory[i]);
    return status;
}
