#include "support/box_sets.h"
#include "support/compare.h"

#include <stdio.h>
#include <string.h>

void box_write_picture(const char *folder, const char *name) {
    data_write_picture(folder, name, BOX_H, BOX_W, 90, 120, 150);
}

void box_write_xml(const char *folder, const char *name, const char *objects) {
    char text[4096];
    snprintf(text, sizeof text,
             "<annotation>\n<size><width>%d</width><height>%d</height><depth>3</depth></size>\n%s</annotation>\n",
             BOX_W, BOX_H, objects);
    data_write_text(folder, name, text);
}

const char *box_object(const char *class_name, const char *xmin, const char *ymin, const char *xmax, const char *ymax) {
    static char text[4][512];
    static int next;
    char *out = text[next++ % 4];
    snprintf(out, sizeof text[0],
             "<object><name>%s</name><difficult>0</difficult><bndbox><xmin>%s</xmin><ymin>%s</ymin><xmax>%s</xmax>"
             "<ymax>%s</ymax></bndbox></object>\n",
             class_name, xmin, ymin, xmax, ymax);
    return out;
}

int box_find(const tips_dataset *set, tips_split split, const char *name) {
    for (int i = 0; i < tips__dataset_count(set, split); i++) {
        char full[1024];
        tips__dataset_item_name(set, split, i, full, sizeof full);
        if (strlen(full) >= strlen(name) && strcmp(full + strlen(full) - strlen(name), name) == 0) return i;
    }
    fail_msg("there is no picture %s", name);
    return -1;
}

int box_count(tips_dataset *set, tips_split split, const char *name) {
    tips_annotation a;
    expect_ok(tips__dataset_annotate(set, split, box_find(set, split, name), TIPS_ANNOTATES_BOXES, &a));
    const int count = a.n_boxes;
    assert_true(a.size[0] == BOX_H && a.size[1] == BOX_W);
    tips__annotation_clear(&a);
    return count;
}

void box_expect(tips_dataset *set, tips_split split, const char *name, int i, tips_box wanted) {
    tips_annotation a;
    tips_image picture;
    expect_ok(tips__dataset_read_annotated(set, split, box_find(set, split, name), TIPS_ANNOTATES_BOXES, &picture, &a));
    assert_true(i < a.n_boxes);
    const tips_box b = a.boxes[i];
    if (b.label != wanted.label || b.crowd != wanted.crowd || b.ignore != wanted.ignore)
        fail_msg("box %d of %s: class %d, crowd %d, ignore %d", i, name, b.label, b.crowd, b.ignore);
    assert_float_equal(b.top, wanted.top, 1e-12);
    assert_float_equal(b.left, wanted.left, 1e-12);
    assert_float_equal(b.bottom, wanted.bottom, 1e-12);
    assert_float_equal(b.right, wanted.right, 1e-12);
    assert_float_equal(b.area, wanted.area, 1e-9);
    tips__annotation_clear(&a);
    tips__image_free(&picture);
}

tips_status box_read_all(const char *spec, bool skip, int *skipped, int *bad_boxes, int *pictures) {
    tips_dataset *set;
    tips_status status = tips__dataset_open(spec, &(tips_dataset_options){.skip_bad = skip, .whole = true}, &set);
    if (status != TIPS_OK) return status;
    for (int s = 0; s < TIPS_SPLITS && status == TIPS_OK; s++)
        for (int i = 0; i < tips__dataset_count(set, (tips_split)s) && status == TIPS_OK; i++) {
            tips_annotation a;
            tips_image picture;
            status = tips__dataset_read_annotated(set, (tips_split)s, i, TIPS_ANNOTATES_BOXES, &picture, &a);
            if (status != TIPS_OK && skip && (status == TIPS_FORMAT || status == TIPS_IO)) {
                status = TIPS_OK;
                continue;
            }
            if (status != TIPS_OK) break;
            tips__annotation_clear(&a);
            tips__image_free(&picture);
        }
    *skipped = tips__dataset_skipped(set);
    *bad_boxes = tips__dataset_bad_boxes(set);
    *pictures = 0;
    for (int s = 0; s < TIPS_SPLITS; s++) *pictures += tips__dataset_count(set, (tips_split)s);
    tips__dataset_close(set);
    return status;
}
