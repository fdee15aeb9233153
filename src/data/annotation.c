/* Annotations: checking what a format has read, and leaving classes out. */
#include "data/annotation.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdio.h>

void tips__annotation_clear(tips_annotation *annotation) {
    if (!annotation) return;
    tips__image_free(&annotation->mask);
    tips__free(annotation->boxes);
    *annotation = (tips_annotation){0};
}

void tips__annotates_text(unsigned kinds, char *out, size_t size) {
    static const char *const names[] = {"classes", "masks", "boxes"};
    size_t length = 0;
    snprintf(out, size, "nothing");
    for (unsigned k = 0; k < 3; k++) {
        if (!(kinds >> k & 1) || length >= size) continue;
        const char *before = length == 0 ? "" : kinds >> (k + 1) ? ", " : " and ";
        length += (size_t)snprintf(out + length, size - length, "%s%s", before, names[k]);
    }
}

static tips_status check_mask(const tips_annotation *a, int classes) {
    const tips_image *mask = &a->mask;
    if (mask->c != 1 || mask->h != a->size[0] || mask->w != a->size[1])
        TIPS_FAIL(TIPS_FORMAT, "a mask of %dx%d pixels for a picture of %dx%d", mask->h, mask->w, a->size[0],
                  a->size[1]);
    const int values = tips__mask_value(classes, a->no_background);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)mask->h * mask->w; i++)
        if (mask->pixels[i] >= values && mask->pixels[i] != TIPS_MASK_IGNORE)
            TIPS_FAIL(TIPS_FORMAT, "the mask holds %d at row %d, column %d; %s%d classes are 0..%d", mask->pixels[i],
                      (int)(i / mask->w), (int)(i % mask->w), a->no_background ? "" : "background and ", classes,
                      values - 1);
    return TIPS_OK;
}

static tips_status check_box(const tips_box *box, int number, const int size[2], int classes) {
    if (box->label < 0 || box->label >= classes)
        TIPS_FAIL(TIPS_FORMAT, "box %d is of class %d; there are %d classes", number, box->label, classes);
    const bool is_finite = isfinite(box->top) && isfinite(box->left) && isfinite(box->bottom) && isfinite(box->right);
    if (!(box->area >= 0 && isfinite(box->area))) TIPS_FAIL(TIPS_FORMAT, "box %d has an area of %g", number, box->area);
    if (!is_finite || box->top > box->bottom || box->left > box->right)
        TIPS_FAIL(TIPS_FORMAT, "box %d reaches from row %g, column %g to row %g, column %g", number, box->top,
                  box->left, box->bottom, box->right);
    const bool is_behind = size[0] > 0 && (box->top >= size[0] || box->left >= size[1]);
    if (is_behind || box->bottom < 0 || box->right < 0)
        TIPS_FAIL(TIPS_FORMAT, "box %d, from row %g, column %g to row %g, column %g, lies outside of the picture",
                  number, box->top, box->left, box->bottom, box->right);
    return TIPS_OK;
}

tips_status tips__annotation_check(const tips_annotation *annotation, int classes) {
    if (annotation->has & TIPS_ANNOTATES_MASK) TIPS_TRY(check_mask(annotation, classes));
    for (int i = 0; i < annotation->n_boxes; i++)
        TIPS_TRY(check_box(&annotation->boxes[i], i, annotation->size, classes));
    return TIPS_OK;
}

void tips__annotation_limit(tips_annotation *annotation, int classes) {
    const tips_image *mask = &annotation->mask;
    const int values = tips__mask_value(classes, annotation->no_background);
    const uint8_t other = annotation->no_background ? TIPS_MASK_IGNORE : 0;
    int kept = 0;
    for (ptrdiff_t i = 0; mask->pixels && i < (ptrdiff_t)mask->h * mask->w; i++)
        if (mask->pixels[i] >= values && mask->pixels[i] != TIPS_MASK_IGNORE) mask->pixels[i] = other;
    for (int i = 0; i < annotation->n_boxes; i++)
        if (annotation->boxes[i].label < classes) annotation->boxes[kept++] = annotation->boxes[i];
    annotation->n_boxes = kept;
}

void tips__annotation_rename(tips_annotation *a, const int *to) {
    const size_t pixels = a->mask.pixels ? (size_t)a->mask.h * (size_t)a->mask.w : 0;
    const int first = tips__mask_value(0, a->no_background);
    if (a->has & TIPS_ANNOTATES_CLASS) a->label = to[a->label];
    for (int i = 0; i < a->n_boxes; i++) a->boxes[i].label = to[a->boxes[i].label];
    for (size_t i = 0; i < pixels; i++) {
        uint8_t *at = &a->mask.pixels[i];
        if (*at >= first && *at != TIPS_MASK_IGNORE) *at = (uint8_t)(to[*at - first] + first);
    }
}

void tips__annotation_revalue(tips_annotation *a, const int *to) {
    const size_t pixels = a->mask.pixels ? (size_t)a->mask.h * (size_t)a->mask.w : 0;
    for (size_t i = 0; i < pixels; i++) {
        uint8_t *at = &a->mask.pixels[i];
        if (*at != TIPS_MASK_IGNORE) *at = (uint8_t)to[*at];
    }
}
