/* Files of pictures, arrays and annotations of any bytes, and marks that follow any moves. The first byte says who gets
 * the rest. */
#include "data/cityscapes.h"
#include "data/dataset.h"
#include "data/mat_read.h"
#include "exchange/npy.h"
#include "image/colours.h"
#include "image/preprocess.h"
#include "metric/coco_results.h"

#include "core/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_SHOWN = 64 };

static void read_image(const char *path) {
    tips_image image;
    if (tips__image_read(path, &image) != TIPS_OK) return;
    if (image.h < 1 || image.w < 1 || (image.c != 1 && image.c != 3)) abort();
    tips__image_free(&image);
}

static void read_indices(const char *path) {
    tips_colours palette;
    tips_image image;
    int size[2];
    if (tips__image_read_indices(path, &image, &palette) != TIPS_OK) return;
    if (image.h < 1 || image.w < 1 || (image.c != 1 && image.c != 3)) abort();
    if (palette.count < 0 || palette.count > TIPS_COLOURS) abort();
    if (tips__image_size(path, size) != TIPS_OK || size[0] != image.h || size[1] != image.w) abort();
    tips__image_free(&image);
}

/* Polygons, whatever they say, make a mask of the size that is asked for. */
static void read_polygons(const char *path) {
    const int size[2] = {5, 7};
    tips_image mask;
    if (tips__cityscapes_polygons(path, size, &mask) != TIPS_OK) return;
    if (mask.h != size[0] || mask.w != size[1]) abort();
    for (int i = 0; i < size[0] * size[1]; i++)
        if (mask.pixels[i] >= TIPS_CITYSCAPES_CLASSES && mask.pixels[i] != TIPS_MASK_IGNORE) abort();
    tips__image_free(&mask);
}

static void read_mat(const char *path) {
    int *values, count;
    if (tips__mat_read(path, "labels", &values, &count) == TIPS_OK) tips__free(values);
}

static void read_array(const char *path) {
    tips_npy array;
    if (tips__npy_read(path, &array) == TIPS_OK) tips__npy_free(&array);
}

/* Of an IDX or CIFAR set: classes, and nothing else. */
static void read_item(tips_dataset *set, int index) {
    const unsigned more = TIPS_ANNOTATES_CLASS | TIPS_ANNOTATES_BOXES;
    tips_image image;
    tips_annotation annotation;
    if (tips__dataset_annotate(set, TIPS_SPLIT_TRAIN, index, more, &annotation) != TIPS_UNSUPPORTED) abort();
    if (tips__dataset_read_annotated(set, TIPS_SPLIT_TRAIN, index, TIPS_ANNOTATES_CLASS, &image, &annotation) !=
        TIPS_OK)
        return;
    if (annotation.label < 0 || annotation.label >= tips__dataset_classes(set)) abort();
    if (annotation.size[0] != image.h || annotation.size[1] != image.w) abort();
    tips__image_free(&image);
    tips__annotation_clear(&annotation);
}

/* One file serves as pictures and labels alike: links with the right names lead to it. */
static void read_set(const char *path, const char *format, const char *const *names) {
    char folder[] = "/tmp/tips-fuzz-XXXXXX", name[128];
    tips_dataset *set;
    if (!mkdtemp(folder)) abort();
    for (int i = 0; names[i]; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        if (symlink(path, name) != 0) abort();
    }
    snprintf(name, sizeof name, "%s:%s", format, folder);
    if (tips__dataset_open(name, &(tips_dataset_options){.skip_bad = true}, &set) == TIPS_OK) {
        const int count = tips__dataset_count(set, TIPS_SPLIT_TRAIN);
        for (int i = 0; i < count && i < MOST_SHOWN; i++) read_item(set, i);
        tips__dataset_close(set);
    }
    for (int i = 0; names[i]; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        unlink(name);
    }
    rmdir(folder);
}

/* A mask holds classes of its set, and nothing else. */
static void read_mask(tips_dataset *set) {
    tips_image image;
    tips_annotation a;
    if (tips__dataset_read_annotated(set, TIPS_SPLIT_TEST, 0, TIPS_ANNOTATES_MASK, &image, &a) != TIPS_OK) return;
    if (a.mask.h != image.h || a.mask.w != image.w || a.mask.c != 1) abort();
    for (ptrdiff_t i = 0; i < (ptrdiff_t)image.h * image.w; i++)
        if (a.mask.pixels[i] >= tips__dataset_mask_classes(set) && a.mask.pixels[i] != TIPS_MASK_IGNORE) abort();
    tips__image_free(&image);
    tips__annotation_clear(&a);
}

/* The file is a picture and its own mask. */
static void read_masks(const char *path, const char *format) {
    static const char *const names[] = {"images", "masks", NULL};
    char folder[] = "/tmp/tips-fuzz-XXXXXX", name[128];
    tips_dataset *set;
    if (!mkdtemp(folder)) abort();
    for (int i = 0; names[i]; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        if (mkdir(name, 0700) != 0) abort();
        snprintf(name, sizeof name, "%s/%s/a.png", folder, names[i]);
        if (symlink(path, name) != 0) abort();
    }
    snprintf(name, sizeof name, "%s:%s", format, folder);
    if (tips__dataset_open(name, &(tips_dataset_options){.whole = true}, &set) == TIPS_OK) {
        read_mask(set);
        tips__dataset_close(set);
    }
    for (int i = 0; names[i]; i++) {
        snprintf(name, sizeof name, "%s/%s/a.png", folder, names[i]);
        unlink(name);
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        rmdir(name);
    }
    rmdir(folder);
}

/* Boxes that come out are boxes. */
static void check_boxes(tips_dataset *set) {
    for (int i = 0; i < tips__dataset_count(set, TIPS_SPLIT_TEST); i++) {
        tips_annotation a;
        if (tips__dataset_annotate(set, TIPS_SPLIT_TEST, i, TIPS_ANNOTATES_BOXES, &a) != TIPS_OK) continue;
        for (int k = 0; k < a.n_boxes; k++) {
            const tips_box *box = &a.boxes[k];
            if (box->label < 0 || box->label >= tips__dataset_classes(set)) abort();
            if (!(box->bottom > box->top && box->right > box->left && box->area >= 0)) abort();
            if (box->top >= a.size[0] || box->left >= a.size[1] || box->bottom <= 0 || box->right <= 0) abort();
        }
        tips__annotation_clear(&a);
    }
}

/* The file is what says where the boxes are, of a picture of 4x6 pixels that is there. */
static void read_boxes(const char *path, const char *format, const char *const folders[2], const char *picture,
                       const char *marks) {
    char folder[] = "/tmp/tips-fuzz-XXXXXX", name[128];
    tips_dataset *set;
    if (!mkdtemp(folder)) abort();
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, folders[i]);
        if (mkdir(name, 0700) != 0) abort();
    }
    snprintf(name, sizeof name, "%s/%s", folder, marks);
    if (symlink(path, name) != 0) abort();
    snprintf(name, sizeof name, "%s/%s", folder, picture);
    FILE *file = fopen(name, "wb");
    if (!file || fprintf(file, "P5 6 4 255\n%024d", 0) < 0 || fclose(file) != 0) abort();
    for (int skip = 0; skip < 2; skip++) {
        snprintf(name, sizeof name, "%s:%s", format, folder);
        if (tips__dataset_open(name, &(tips_dataset_options){.whole = true, .skip_bad = skip}, &set) != TIPS_OK)
            continue;
        check_boxes(set);
        tips__dataset_close(set);
    }
    snprintf(name, sizeof name, "%s/%s", folder, picture);
    unlink(name);
    snprintf(name, sizeof name, "%s/%s", folder, marks);
    unlink(name);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, folders[i]);
        rmdir(name);
    }
    rmdir(folder);
}

static void read_box_set(const char *path, int kind) {
    static const char *const coco[2] = {"annotations", "a"}, *const voc[2] = {"Annotations", "JPEGImages"},
                             *const yolo[2] = {"images", "labels"};
    switch (kind) {
    case 0: read_boxes(path, "coco", coco, "a/a.jpg", "annotations/instances_a.json"); break;
    case 1: read_boxes(path, "voc-boxes", voc, "JPEGImages/a.jpg", "Annotations/a.xml"); break;
    case 2: read_boxes(path, "yolo", yolo, "images/a.jpg", "labels/a.txt"); break;
    default: read_boxes(path, "yolo", yolo, "images/a.jpg", "data.yaml");
    }
}

/* Results that come out are boxes with a score, one behind the other. */
static tips_status check_result(void *context, const tips_coco_result *r, size_t number) {
    size_t *count = context;
    if (number != ++*count || !isfinite(r->score)) abort();
    for (int i = 0; i < 4; i++)
        if (!isfinite(r->bbox[i]) || (i >= 2 && r->bbox[i] < 0)) abort();
    return TIPS_OK;
}

static void read_results(const char *path) {
    size_t count = 0;
    (void)!tips__coco_results_read(path, check_result, &count);
}

enum { MOST_SIDE = 24, CLASSES = 5, RESULTS = 199, BOX_SETS = 200 };

/* What the first bytes ask for. */
typedef struct wish {
    uint8_t picture[2], input[2], resize, flags;
    int8_t crop[2], shift[2];
    uint8_t box[4 * sizeof(float) + 8];
} wish;

static tips_move wished_move(const wish *w, tips_preprocess *p) {
    const int size[2] = {w->picture[0] % MOST_SIDE + 1, w->picture[1] % MOST_SIDE + 1};
    *p = (tips_preprocess){.height = w->input[0] % MOST_SIDE + 1,
                           .width = w->input[1] % MOST_SIDE + 1,
                           .channels = 1,
                           .resize = w->resize % MOST_SIDE,
                           .fit_inside = w->flags & 1,
                           .placement = {.fit = {w->flags & 16 ? w->resize % MOST_SIDE : 0, MOST_SIDE},
                                         .filter = w->flags >> 5 & 1,
                                         .pad = w->flags >> 6 & 1},
                           .std = {1}};
    tips_move move = tips__preprocess_move(p, size);
    move.flip = w->flags & 2;
    move.circular = w->flags & 4;
    for (int i = 0; i < 2; i++) {
        move.crop[i] = w->crop[i];
        move.shift[i] = w->shift[i];
    }
    return move;
}

static void follow_box(const wish *w, const tips_move *move) {
    const int most[2] = {move->input[0] * (move->circular ? 2 : 1), move->input[1] * (move->circular ? 2 : 1)};
    float edges[4], share;
    memcpy(edges, w->box, sizeof edges);
    tips_box box = {.top = (double)edges[0],
                    .left = (double)edges[1],
                    .bottom = (double)edges[2],
                    .right = (double)edges[3],
                    .label = w->box[sizeof w->box - 1],
                    .crowd = w->flags & 8};
    if (tips__annotation_check(&(tips_annotation){.boxes = &box, .n_boxes = 1}, CLASSES) != TIPS_OK) return;
    tips__move_boxes(move, &box, 1, &box, &share);
    if (!(share >= 0 && share <= 1) || box.top > box.bottom || box.left > box.right) abort();
    if (!(box.top >= 0 && box.left >= 0) || box.bottom > most[0] || box.right > most[1]) abort();
}

/* A mask of what is left of the bytes: on the input it has no other values. */
static void follow_marks(const uint8_t *data, size_t size) {
    uint8_t pixels[MOST_SIDE * MOST_SIDE] = {0}, out[MOST_SIDE * MOST_SIDE];
    tips_preprocess p;
    wish w;
    if (size < sizeof w) return;
    memcpy(&w, data, sizeof w);
    for (size_t i = sizeof w; i < size && i - sizeof w < sizeof pixels; i++) pixels[i - sizeof w] = data[i] % CLASSES;
    const tips_move move = wished_move(&w, &p);
    const tips_image mask = {move.picture[0], move.picture[1], 1, pixels};
    tips__move_mask(&move, &mask, out);
    for (int i = 0; i < p.height * p.width; i++)
        if (out[i] >= CLASSES && out[i] != TIPS_MASK_IGNORE) abort();
    if (tips__preprocess_canvas(&p, &mask, out) != TIPS_OK) abort();
    follow_box(&w, &move);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const idx[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", NULL};
    static const char *const cifar[] = {"train.bin", "test.bin", "fine_label_names.txt", NULL};
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        descriptor = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), descriptor);
    }
    if (size < 1) return 0;
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, data + 1, size - 1, 0) != (ssize_t)size - 1) abort();
    if (data[0] >= BOX_SETS) {
        read_box_set(path, data[0] % 4);
        return 0;
    }
    if (data[0] == RESULTS) {
        read_results(path);
        return 0;
    }
    switch (data[0] % 10) {
    case 0: read_image(path); break;
    case 1: read_mat(path); break;
    case 2: read_array(path); break;
    case 3: read_set(path, "idx", idx); break;
    case 4: read_set(path, "cifar", cifar); break;
    case 6: read_indices(path); break;
    case 7: read_masks(path, "masks"); break;
    case 8: read_masks(path, "kvasir"); break;
    case 9: read_polygons(path); break;
    default: follow_marks(data + 1, size - 1);
    }
    return 0;
}
