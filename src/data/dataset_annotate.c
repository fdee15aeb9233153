/* What a dataset knows of its pictures. Classes are the same for all formats; masks and boxes come from the format. */
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"

#include <assert.h>
#include <stdio.h>

enum { TEXT_SIZE = 64, NAME_SIZE = 512, REMEDY_SIZE = 256 };

unsigned tips__dataset_annotates(const tips_dataset *set) { return tips__dataset_source(set)->annotates; }

bool tips__dataset_has_background(const tips_dataset *set) { return !tips__dataset_source(set)->no_background; }

int tips__dataset_mask_classes(const tips_dataset *set) {
    return tips__mask_value(tips__dataset_classes(set), tips__dataset_source(set)->no_background);
}

const char *tips__dataset_mask_class_name(const tips_dataset *set, int value) {
    if (value == TIPS_MASK_IGNORE) return "ignored";
    if (value == 0 && tips__dataset_has_background(set)) return "background";
    return tips__dataset_class_name(set, value - tips__mask_value(0, tips__dataset_source(set)->no_background));
}

const tips_colours *tips__dataset_mask_colours(const tips_dataset *set) { return &tips__dataset_source(set)->colours; }

const uint8_t *tips__dataset_mask_colour(const tips_dataset *set, int value) {
    assert(value >= 0 && value < TIPS_COLOURS);
    return tips__dataset_mask_colours(set)->rgb[value];
}

/* "; formats with boxes are coco, yolo". */
static size_t name_formats(unsigned kind, char *out, size_t size) {
    char text[TEXT_SIZE];
    size_t length = 0;
    tips__annotates_text(kind, text, sizeof text);
    for (const tips_dataset_format *const *row = tips__dataset_formats; *row && length < size; row++) {
        if (!((*row)->marks & kind)) continue;
        if (length == 0) length = (size_t)snprintf(out, size, "; formats with %s are %s", text, (*row)->name);
        else length += (size_t)snprintf(out + length, size - length, ", %s", (*row)->name);
    }
    return length < size ? length : size;
}

/* What to do about it: there is a task for what is offered, or there are formats with what is wanted. */
static void add_remedy(unsigned offered, unsigned missing, char *out, size_t size) {
    size_t length = 0;
    out[0] = '\0';
    if (missing & TIPS_ANNOTATES_CLASS && offered & TIPS_ANNOTATES_MASK)
        snprintf(out, size, "; from masks a network learns by --task segment");
    for (unsigned kind = TIPS_ANNOTATES_MASK; kind <= TIPS_ANNOTATES_BOXES; kind <<= 1)
        if (missing & kind) length += name_formats(kind, out + length, size - length);
}

tips_status tips__dataset_require(const tips_dataset *set, unsigned wanted) {
    const unsigned offered = tips__dataset_annotates(set);
    char offer[TEXT_SIZE], wish[TEXT_SIZE], remedy[REMEDY_SIZE];
    if ((wanted & ~offered) == 0) return TIPS_OK;
    tips__annotates_text(offered, offer, sizeof offer);
    tips__annotates_text(wanted, wish, sizeof wish);
    add_remedy(offered, wanted & ~offered, remedy, sizeof remedy);
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: a set of the format %s, which comes with %s; wanted are %s%s",
              tips__dataset_path(set), tips__dataset_format(set), offer, wish, remedy);
}

static tips_status take_marks(const tips_source *source, const tips_item *item, tips_annotation *a) {
    const unsigned marks = a->has & ~(unsigned)TIPS_ANNOTATES_CLASS;
    if (!marks) return TIPS_OK;
    TIPS_TRY(source->format->annotate(source, item, marks, a));
    TIPS_TRY(tips__annotation_check(a, source->classes_on_disk));
    tips__annotation_limit(a, source->classes.count);
    return TIPS_OK;
}

static tips_status take(const tips_dataset *set, const tips_item *item, unsigned wanted, tips_annotation *out) {
    tips_annotation a = {.has = wanted, .no_background = tips__dataset_source(set)->no_background};
    if (wanted & TIPS_ANNOTATES_CLASS) a.label = item->label;
    const tips_status status = take_marks(tips__dataset_source(set), item, &a);
    if (status != TIPS_OK) tips__annotation_clear(&a);
    else *out = a;
    return status;
}

/* Says which picture it is about, and counts it. */
static tips_status blame(tips_dataset *set, tips_split split, int index, tips_status status) {
    char name[NAME_SIZE];
    tips__dataset_item_name(set, split, index, name, sizeof name);
    return tips__dataset_judge(set, split, index, tips__fail_within(status, name));
}

tips_status tips__dataset_annotate(tips_dataset *set, tips_split split, int index, unsigned wanted,
                                   tips_annotation *out) {
    const tips_item *item;
    TIPS_TRY(tips__dataset_require(set, wanted));
    TIPS_TRY(tips__dataset_find(set, split, index, &item));
    const tips_status status = take(set, item, wanted, out);
    return status == TIPS_OK ? TIPS_OK : blame(set, split, index, status);
}

/* A mask or boxes of another size are of another picture. */
static tips_status agree(const tips_dataset *set, const tips_item *item, const tips_image *picture,
                         tips_annotation *a) {
    const tips_source *source = tips__dataset_source(set);
    char file[NAME_SIZE] = "";
    if (a->size[0] != 0 && (a->size[0] != picture->h || a->size[1] != picture->w)) {
        if (source->format->mark_name) source->format->mark_name(source, item, file, sizeof file);
        TIPS_FAIL(TIPS_FORMAT, "the picture has %dx%d pixels, its annotation is for %dx%d%s%s", picture->h, picture->w,
                  a->size[0], a->size[1], *file ? ": " : "", file);
    }
    a->size[0] = picture->h;
    a->size[1] = picture->w;
    return TIPS_OK;
}

static tips_status read_agreeing(tips_dataset *set, tips_split split, int index, tips_annotation *a, tips_image *out) {
    tips_image picture;
    int label;
    TIPS_TRY(tips__dataset_read(set, split, index, &picture, &label));
    const tips_status status = agree(set, tips__dataset_item(set, split, index), &picture, a);
    if (status != TIPS_OK) {
        tips__image_free(&picture);
        return blame(set, split, index, status);
    }
    *out = picture;
    return TIPS_OK;
}

tips_status tips__dataset_read_annotated(tips_dataset *set, tips_split split, int index, unsigned wanted,
                                         tips_image *picture, tips_annotation *out) {
    tips_annotation a;
    TIPS_TRY(tips__dataset_annotate(set, split, index, wanted, &a));
    const tips_status status = read_agreeing(set, split, index, &a, picture);
    if (status != TIPS_OK) tips__annotation_clear(&a);
    else *out = a;
    return status;
}
