/* Counting boxes. */
#include "data/box_statistics.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"

#include <string.h>

const char *const tips__box_size_names[] = {"small", "medium", "large", NULL};

static tips_box_size size_of(const tips_box *box) {
    const double area = box->area > 0 ? box->area : (box->right - box->left) * (box->bottom - box->top);
    return area <= 32 * 32 ? TIPS_BOX_SMALL : area <= 96 * 96 ? TIPS_BOX_MEDIUM : TIPS_BOX_LARGE;
}

static void count(const tips_box *box, tips_box_counts *c) {
    c->boxes++;
    c->crowds += box->crowd;
    c->ignored += box->ignore;
    c->sizes[size_of(box)]++;
}

static void add_picture(const tips_annotation *a, tips_box_statistics *s) {
    s->pictures++;
    s->all.pictures += a->n_boxes > 0;
    if (a->n_boxes > s->most) s->most = a->n_boxes;
    for (int i = 0; i < a->n_boxes; i++) {
        const tips_box *box = &a->boxes[i];
        bool is_first = true;
        for (int k = 0; k < i && is_first; k++) is_first = a->boxes[k].label != box->label;
        count(box, &s->all);
        count(box, &s->classes[box->label]);
        s->classes[box->label].pictures += is_first;
        s->beyond += box->top < 0 || box->left < 0 || box->bottom > a->size[0] || box->right > a->size[1];
    }
}

static tips_status gather(tips_dataset *set, tips_split split, tips_box_statistics *s) {
    for (int i = 0; i < tips__dataset_count(set, split); i++) {
        tips_annotation a;
        const tips_status status = tips__dataset_annotate(set, split, i, TIPS_ANNOTATES_BOXES, &a);
        if (tips__dataset_may_skip(set, status)) continue;
        TIPS_TRY(status);
        add_picture(&a, s);
        tips__annotation_clear(&a);
    }
    return TIPS_OK;
}

tips_status tips__box_statistics(tips_dataset *set, tips_split split, tips_box_statistics *out) {
    tips_box_statistics s = {0};
    const size_t classes = (size_t)tips__dataset_classes(set);
    TIPS_TRY(tips__new_zero(&s.classes, classes * sizeof *s.classes, "counts of boxes"));
    const tips_status status = gather(set, split, &s);
    if (status != TIPS_OK) tips__box_statistics_clear(&s);
    else *out = s;
    return status;
}

void tips__box_statistics_clear(tips_box_statistics *s) {
    tips__free(s->classes);
    *s = (tips_box_statistics){0};
}
