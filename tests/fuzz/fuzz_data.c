/* Files of pictures and arrays of any bytes. The first byte says which reader gets the rest. */
#include "data/dataset.h"
#include "image/image_read.h"
#include "data/mat_read.h"
#include "exchange/npy.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_SHOWN = 64 };

static void read_image(const char *path) {
    tips_image image;
    if (tips__image_read(path, &image) != TIPS_OK) return;
    if (image.h < 1 || image.w < 1 || (image.c != 1 && image.c != 3)) abort();
    tips__image_free(&image);
}

static void read_mat(const char *path) {
    int *values, count;
    if (tips__mat_read(path, "labels", &values, &count) == TIPS_OK) tips__free(values);
}

static void read_array(const char *path) {
    tips_npy array;
    if (tips__npy_read(path, &array) == TIPS_OK) tips__npy_free(&array);
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
        for (int i = 0; i < count && i < MOST_SHOWN; i++) {
            tips_image image;
            int label = -1;
            if (tips__dataset_read(set, TIPS_SPLIT_TRAIN, i, &image, &label) != TIPS_OK) continue;
            if (label < 0 || label >= tips__dataset_classes(set)) abort();
            tips__image_free(&image);
        }
        tips__dataset_close(set);
    }
    for (int i = 0; names[i]; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        unlink(name);
    }
    rmdir(folder);
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
    switch (data[0] % 5) {
    case 0: read_image(path); break;
    case 1: read_mat(path); break;
    case 2: read_array(path); break;
    case 3: read_set(path, "idx", idx); break;
    default: read_set(path, "cifar", cifar);
    }
    return 0;
}
