/* CIFAR-10 and CIFAR-100 in their binary form: records of labels and 3072 bytes, one plane after the other. The files
 * are read from a folder or straight from the original .tar.gz. */
#include "core/fail.h"
#include "core/memory.h"
#include "data/archive_read.h"
#include "data/data_stream.h"
#include "data/dataset_format.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 32, PIXELS = SIDE * SIDE, PARTS = 6, MOST_BYTES = 1 << 28 };

static const char *const ten_classes[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                          "dog",      "frog",       "horse", "ship", "truck"};

/* One of the two sets. */
typedef struct variant {
    const char *folder; /* as the archive calls it */
    int classes, label_bytes, label_at;
    const char *parts[PARTS + 1]; /* the last is for testing */
    const char *names;            /* file of class names */
} variant;

static const variant variants[] = {
    {"cifar-10-batches-bin",
     10,
     1,
     0,
     {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin",
      "test_batch.bin"},
     "batches.meta.txt"},
    {"cifar-100-binary", 100, 2, 1, {"train.bin", "test.bin"}, "fine_label_names.txt"},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

typedef struct cifar_set {
    char place[TIPS_PATH_SIZE]; /* the folder or archive that holds the files */
    const variant *variant;
    tips_archive_part parts[PARTS + 1]; /* and the file of names */
    int count;                          /* without it */
} cifar_set;

static int count_parts(const variant *v) {
    int n = 0;
    while (v->parts[n]) n++;
    return n;
}

/* The folder that holds the files: `path` itself, or the one of the archive's name in it. */
static const variant *find_folder(const char *path, char *out) {
    for (int i = 0; i < VARIANTS; i++) {
        if (snprintf(out, TIPS_PATH_SIZE, "%s", path) < TIPS_PATH_SIZE && tips__is_file_in(path, variants[i].parts[0]))
            return &variants[i];
        if (snprintf(out, TIPS_PATH_SIZE, "%s/%s", path, variants[i].folder) < TIPS_PATH_SIZE &&
            tips__is_file_in(out, variants[i].parts[0]))
            return &variants[i];
    }
    return NULL;
}

static bool recognise(const char *path) {
    char folder[TIPS_PATH_SIZE];
    const char *name = tips__base_name(path);
    if (tips__is_folder(path)) return find_folder(path, folder) != NULL;
    return strncmp(name, "cifar-10", 8) == 0 && (strstr(name, ".tar") || strstr(name, ".tgz"));
}

static void choose(cifar_set *set, const variant *v) {
    set->variant = v;
    set->count = count_parts(v);
    for (int i = 0; i < set->count; i++) set->parts[i].name = v->parts[i];
    set->parts[set->count].name = v->names;
}

static tips_status read_part(const char *folder, tips_archive_part *part) {
    char path[TIPS_PATH_SIZE];
    tips_stream *stream;
    TIPS_TRY(tips__path_join(folder, part->name, path));
    TIPS_TRY(tips__stream_open(path, &stream));
    const tips_status status = tips__stream_take_all(stream, MOST_BYTES, &part->bytes, &part->size);
    tips__stream_close(stream);
    return status;
}

static tips_status read_folder(const char *path, cifar_set *set) {
    const variant *v = find_folder(path, set->place);
    if (!v) TIPS_FAIL(TIPS_FORMAT, "%s: neither data_batch_1.bin nor train.bin is there", path);
    choose(set, v);
    for (int i = 0; i < set->count; i++) TIPS_TRY(read_part(set->place, &set->parts[i]));
    return tips__is_file_in(set->place, v->names) ? read_part(set->place, &set->parts[set->count]) : TIPS_OK;
}

static bool has_nothing(const cifar_set *set) {
    for (int i = 0; i <= PARTS; i++)
        if (set->parts[i].bytes) return false;
    return true;
}

/* An archive is read from front to back, so the name of the file says which of the two sets to expect first. */
static tips_status read_tar(const char *path, cifar_set *set) {
    const variant *first = &variants[strstr(tips__base_name(path), "100") ? 1 : 0];
    if (snprintf(set->place, sizeof set->place, "%s", path) >= TIPS_PATH_SIZE)
        TIPS_FAIL(TIPS_RANGE, "%.80s...: the path is too long", path);
    for (int i = 0; i < VARIANTS && has_nothing(set); i++) {
        choose(set, i == 0 ? first : &variants[VARIANTS - 1 - (first - variants)]);
        TIPS_TRY(tips__archive_read(path, MOST_BYTES, set->parts, set->count + 1));
    }
    if (has_nothing(set)) choose(set, first);
    for (int i = 0; i < set->count; i++)
        if (!set->parts[i].bytes)
            TIPS_FAIL(TIPS_FORMAT, "%s: holds no %s; of CIFAR the binary version is read", path, set->parts[i].name);
    return TIPS_OK;
}

/* The lines of the file of names, if they are as many as there are classes. */
static tips_status split_names(tips_source *source, const tips_archive_part *part) {
    char line[128];
    size_t length = 0;
    for (size_t i = 0; i <= part->size; i++) {
        const char c = i < part->size ? (char)part->bytes[i] : '\n';
        if (c != '\n' && c != '\r') {
            if (length + 1 < sizeof line) line[length++] = c;
            continue;
        }
        line[length] = '\0';
        if (length > 0) TIPS_TRY(tips__names_add(&source->classes, line));
        length = 0;
    }
    return TIPS_OK;
}

static tips_status name_classes(tips_source *source, const cifar_set *set) {
    const int count = set->variant->classes;
    TIPS_TRY(split_names(source, &set->parts[set->count]));
    if (source->classes.count == count) return TIPS_OK;
    if (source->classes.count > 0)
        TIPS_FAIL(TIPS_FORMAT, "%s/%s: names %d classes instead of %d", set->place, set->variant->names,
                  source->classes.count, count);
    if (count != 10) return tips__source_number_classes(source, 0, count);
    for (int k = 0; k < count; k++) TIPS_TRY(tips__names_add(&source->classes, ten_classes[k]));
    return TIPS_OK;
}

static size_t record_size(const variant *v) { return (size_t)v->label_bytes + 3 * PIXELS; }

static tips_status add_part(tips_source *source, const cifar_set *set, int part) {
    const tips_archive_part *p = &set->parts[part];
    const size_t record = record_size(set->variant);
    char file[TIPS_PATH_SIZE];
    const tips_split split = part == set->count - 1 ? TIPS_SPLIT_TEST : TIPS_SPLIT_TRAIN;
    TIPS_TRY(tips__path_join(set->place, p->name, file));
    if (p->size == 0 || p->size % record != 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: %zu bytes are not a number of records of %zu bytes; is it cut short?", file,
                  p->size, record);
    for (size_t i = 0; i < p->size / record; i++)
        TIPS_TRY(tips__source_add(source, split, (uint64_t)part << 32 | i,
                                  p->bytes[i * record + (size_t)set->variant->label_at], file, (int)i));
    return TIPS_OK;
}

static tips_status open_cifar(const char *path, tips_source *source) {
    cifar_set *set;
    TIPS_TRY(tips__new_zero(&set, sizeof *set, "a CIFAR dataset"));
    source->own = set;
    TIPS_TRY(tips__is_folder(path) ? read_folder(path, set) : read_tar(path, set));
    TIPS_TRY(name_classes(source, set));
    for (int i = 0; i < set->count; i++) TIPS_TRY(add_part(source, set, i));
    source->channels = 3;
    source->height = source->width = SIDE;
    return tips__source_check_classes(source);
}

static tips_status read_item(const tips_source *source, const tips_item *item, tips_image *out) {
    const cifar_set *set = source->own;
    const size_t record = record_size(set->variant);
    const uint8_t *planes =
        set->parts[item->where >> 32].bytes + (item->where & UINT32_MAX) * record + set->variant->label_bytes;
    tips_image image;
    TIPS_TRY(tips__image_allocate(source->path, SIDE, SIDE, 3, &image));
    for (int i = 0; i < PIXELS; i++)
        for (int k = 0; k < 3; k++) image.pixels[3 * i + k] = planes[k * PIXELS + i];
    *out = image;
    return TIPS_OK;
}

static void item_name(const tips_source *source, const tips_item *item, char *out, size_t size) {
    const cifar_set *set = source->own;
    snprintf(out, size, "%s/%s[%llu]", set->place, set->parts[item->where >> 32].name,
             (unsigned long long)(item->where & UINT32_MAX));
}

static void close_cifar(tips_source *source) {
    cifar_set *set = source->own;
    for (int i = 0; set && i <= PARTS; i++) tips__free(set->parts[i].bytes);
    tips__free(set);
}

const tips_dataset_format tips__format_cifar = {
    .name = "cifar",
    .brief = "CIFAR-10 and CIFAR-100, binary version: a folder or the original .tar.gz",
    .recognise = recognise,
    .open = open_cifar,
    .read = read_item,
    .item_name = item_name,
    .close = close_cifar,
};
