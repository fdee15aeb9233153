/* Failing allocations, one after the other, while datasets are opened, described and loaded: each gives an error and
 * leaves nothing behind (the leak sanitizer watches). */
#include "data/box_statistics.h"
#include "data/voc_xml.h"
#include "support/box_sets.h"
#include "support/compare.h"
#include "support/data_files.h"
#include "support/mask_sets.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/contact_sheet.h"
#include "data/loader.h"
#include "data/statistics.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FAILURES = 3000 };

static tips_status take_epoch(tips_loader *loader) {
    tips_batch batch;
    TIPS_TRY(tips__loader_start(loader, 0, 0));
    do TIPS_TRY(tips__loader_next(loader, &batch));
    while (batch.n > 0);
    return TIPS_OK;
}

/* The boxes, then the mask, one after the other. */
static tips_status take_all(const void *context, const tips_annotation *annotation, const tips_move *move,
                            tips_bytes *target) {
    const size_t boxes = (size_t)annotation->n_boxes * sizeof *annotation->boxes;
    (void)context;
    TIPS_TRY(tips__bytes_resize(target, boxes));
    tips__move_boxes(move, annotation->boxes, annotation->n_boxes, (tips_box *)target->data, NULL);
    if (!(annotation->has & TIPS_ANNOTATES_MASK)) return TIPS_OK;
    TIPS_TRY(tips__bytes_resize(target, boxes + (size_t)move->input[0] * (size_t)move->input[1]));
    tips__move_mask(move, &annotation->mask, target->data + boxes);
    return TIPS_OK;
}

static tips_status use(tips_dataset *set) {
    const tips_loader_config config = {.set = set,
                                       .split = TIPS_SPLIT_TRAIN,
                                       .maker = {.needs = tips__dataset_annotates(set), .make = take_all},
                                       .batch = 4,
                                       .views = 2,
                                       .shuffle = true,
                                       .preprocess = {.height = 12, .width = 10, .channels = 1, .std = {1}}};
    tips_loader *loader;
    tips_statistics statistics;
    tips_image sheet;
    tips_box_statistics counts;
    const unsigned marks = tips__dataset_annotates(set) & ~(unsigned)TIPS_ANNOTATES_CLASS;
    TIPS_TRY(tips__dataset_statistics(set, TIPS_SPLIT_TRAIN, marks, 0, 1, &statistics));
    TIPS_TRY(tips__contact_sheet(set, TIPS_SPLIT_TRAIN, 2, 2, &sheet));
    tips__image_free(&sheet);
    if (marks & TIPS_ANNOTATES_BOXES) {
        TIPS_TRY(tips__box_statistics(set, TIPS_SPLIT_TRAIN, &counts));
        tips__box_statistics_clear(&counts);
        TIPS_TRY(tips__box_sheet(set, TIPS_SPLIT_TRAIN, 2, 2, &sheet));
        tips__image_free(&sheet);
    }
    if (marks & TIPS_ANNOTATES_MASK) {
        TIPS_TRY(tips__mask_sheet(set, TIPS_SPLIT_TRAIN, 2, 2, &sheet));
        tips__image_free(&sheet);
    }
    TIPS_TRY(tips__loader_create(&config, &loader));
    const tips_status status = take_epoch(loader);
    tips__loader_destroy(loader);
    return status;
}

static tips_status run(const char *spec) {
    tips_dataset *set;
    TIPS_TRY(tips__dataset_open(spec, NULL, &set));
    const tips_status status = use(set);
    tips__dataset_close(set);
    return status;
}

static void fail_each(const char *spec) {
    int n = 1;
    for (;; n++) {
        assert_true(n < MOST_FAILURES);
        tips__alloc_fail_at((uint64_t)n);
        const tips_status status = run(spec);
        tips__alloc_fail_at(0);
        if (status == TIPS_OK) break;
        if (status != TIPS_MEMORY) fail_msg("%s, allocation %d: %s", spec, n, tips_last_error());
    }
    assert_true(n > 10);
}

static int half(int number, int i) { return (number + i) % 2; }

/* One set of three pictures, in three forms. */
static void write_boxes(const char *folder) {
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "boxes/images/%d.jpg", i);
        box_write_picture(folder, name);
        snprintf(name, sizeof name, "boxes/labels/%d.txt", i);
        data_write_text(folder, name, "0 0.5 0.5 0.25 0.5\n");
        snprintf(name, sizeof name, "boxes/annotations/%d.xml", i);
        box_write_xml(folder, name, box_object("a", "1", "2", "3", "4"));
    }
    data_write_text(folder, "boxes/a.json",
                    "{\"images\": [{\"id\": 1, \"file_name\": \"0.jpg\"}, {\"id\": 2, \"file_name\": \"1.jpg\"}, "
                    "{\"id\": 3, \"file_name\": \"2.jpg\"}], \"annotations\": [{\"id\": 1, \"image_id\": 2, "
                    "\"category_id\": 4, \"bbox\": [1, 2, 3, 4]}], \"categories\": [{\"id\": 4, \"name\": \"a\"}]}");
}

static void test_failures(void **state) {
    char folder[DATA_PATH], path[2 * DATA_PATH];
    data_bytes b = {0};
    (void)state;
    fail_each("shapes:train=6,test=0,size=16,classes=2");
    data_make_folder(folder);
    for (int i = 0; i < 6; i++) {
        char name[64];
        snprintf(name, sizeof name, "photos/%s/%d.ppm", i % 2 ? "b" : "a", i);
        data_write_picture(folder, name, 14, 20, i, 0, 0);
    }
    snprintf(path, sizeof path, "folders:%s/photos", folder);
    fail_each(path);
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "streets/leftImg8bit/train/ulm/%d_leftImg8bit.png", i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, "streets/gtFine/train/ulm/%d_gtFine_polygons.json", i);
        data_write_text(folder, name,
                        "{\"imgHeight\": 12, \"imgWidth\": 16, \"objects\": [{\"label\": \"road\", \"polygon\": "
                        "[[4, 0], [15, 0], [15, 11]]}]}");
        snprintf(name, sizeof name, "plain/images/%d.ppm", i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, "plain/masks/%d.pgm", i);
        mask_write(folder, name, i, half);
    }
    snprintf(path, sizeof path, "masks:%s/plain", folder);
    fail_each(path);
    snprintf(path, sizeof path, "cityscapes:%s/streets", folder);
    fail_each(path);
    write_boxes(folder);
    snprintf(path, sizeof path, "coco:%s/boxes/a.json", folder);
    fail_each(path);
    snprintf(path, sizeof path, "coco:%s/boxes", folder);
    fail_each(path);
    snprintf(path, sizeof path, "yolo:%s/boxes", folder);
    fail_each(path);
    snprintf(path, sizeof path, "voc-boxes:%s/boxes", folder);
    if (tips__has_xml()) fail_each(path);
    data_idx_pictures(&b, 6, 8, 8, 2, 0);
    data_write(folder, "train-images-idx3-ubyte", &b);
    data_free(&b);
    data_idx_labels(&b, 6, 2);
    data_write(folder, "train-labels-idx1-ubyte", &b);
    data_free(&b);
    snprintf(path, sizeof path, "idx:%s", folder);
    fail_each(path);
    data_remove_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
