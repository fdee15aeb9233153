/* IDX files, the form of the MNIST family: a pair of files (pictures, labels) for training and one for testing, plain
 * or compressed with gzip. A set is a folder, or its file of training pictures where a folder holds several sets. */
#include "core/fail.h"
#include "core/memory.h"
#include "data/data_stream.h"
#include "data/dataset_format.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC_LABELS = 0x00000801, MAGIC_PICTURES = 0x00000803, MOST_SIDE = 4096 };
static const uint64_t most_bytes = (uint64_t)1 << 35;

static const char *const fashion_classes[] = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                              "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

/* The pictures of one split, all in memory. */
typedef struct block {
    int count, height, width;
    uint8_t *pixels; /* (count, height, width) */
    uint8_t *labels; /* (count) */
    char labels_path[TIPS_PATH_SIZE];
} block;

typedef struct idx_set {
    block blocks[TIPS_SPLITS];
} idx_set;

/* Whether `name` is PREFIX + `part`, with '.' as good as '-' and ".gz" left out; gives the length of PREFIX. */
static bool matches(const char *name, const char *part, size_t *prefix) {
    size_t length = strlen(name);
    const size_t wanted = strlen(part);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) length -= 3;
    if (length < wanted) return false;
    for (size_t i = 0; i < wanted; i++) {
        const char c = name[length - wanted + i];
        if (c != part[i] && !(c == '.' && part[i] == '-')) return false;
    }
    *prefix = length - wanted;
    return true;
}

/* The first of `names` that is `prefix` + `part`; without a prefix, the first with any. */
static const char *find_part(const tips_names *names, const char *prefix, size_t prefix_length, const char *part) {
    for (int i = 0; i < names->count; i++) {
        size_t length = 0;
        if (!matches(names->rows[i], part, &length)) continue;
        if (!prefix || (length == prefix_length && strncmp(names->rows[i], prefix, length) == 0)) return names->rows[i];
    }
    return NULL;
}

static uint32_t big_endian(const uint8_t *b) {
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static tips_status read_header(tips_stream *stream, const char *path, uint32_t magic, int numbers, uint32_t *out) {
    uint8_t bytes[16];
    size_t got = 0;
    const size_t size = 4 * (size_t)(numbers + 1);
    TIPS_TRY(tips__stream_read(stream, bytes, size, &got));
    if (got < size) TIPS_FAIL(TIPS_FORMAT, "%s: cut short within its header", path);
    if (big_endian(bytes) != magic)
        TIPS_FAIL(TIPS_FORMAT, "%s: starts with 0x%08x, not with 0x%08x as IDX files of %s do", path,
                  (unsigned)big_endian(bytes), (unsigned)magic, magic == MAGIC_LABELS ? "labels" : "pictures");
    for (int i = 0; i < numbers; i++) out[i] = big_endian(bytes + 4 * (i + 1));
    if (out[0] < 1 || out[0] > INT_MAX) TIPS_FAIL(TIPS_FORMAT, "%s: holds %u entries", path, (unsigned)out[0]);
    return TIPS_OK;
}

/* What the header of the pictures says; the pictures are not there yet. */
static tips_status read_picture_header(tips_stream *stream, const char *path, block *b) {
    uint32_t dims[3];
    TIPS_TRY(read_header(stream, path, MAGIC_PICTURES, 3, dims));
    if (dims[1] < 1 || dims[1] > MOST_SIDE || dims[2] < 1 || dims[2] > MOST_SIDE)
        TIPS_FAIL(TIPS_FORMAT, "%s: pictures of %ux%u; sides of 1..%d are read", path, (unsigned)dims[1],
                  (unsigned)dims[2], MOST_SIDE);
    const uint64_t bytes = (uint64_t)dims[0] * dims[1] * dims[2];
    if (bytes > most_bytes)
        TIPS_FAIL(TIPS_FORMAT, "%s: claims more than %llu bytes", path, (unsigned long long)most_bytes);
    TIPS_TRY(tips__stream_can_hold(stream, bytes));
    b->count = (int)dims[0];
    b->height = (int)dims[1];
    b->width = (int)dims[2];
    return TIPS_OK;
}

static tips_status read_pictures(tips_stream *stream, const char *path, block *b) {
    TIPS_TRY(read_picture_header(stream, path, b));
    TIPS_TRY(tips__stream_take(stream, (size_t)b->count * (size_t)b->height * (size_t)b->width, &b->pixels));
    return tips__stream_expect_end(stream);
}

static tips_status read_labels(tips_stream *stream, const char *path, block *b) {
    uint32_t count = 0;
    TIPS_TRY(read_header(stream, path, MAGIC_LABELS, 1, &count));
    if ((int)count != b->count)
        TIPS_FAIL(TIPS_FORMAT, "%s: %u labels for %d pictures", path, (unsigned)count, b->count);
    TIPS_TRY(tips__stream_take(stream, count, &b->labels));
    return tips__stream_expect_end(stream);
}

static tips_status read_part(const char *path, tips_status (*read)(tips_stream *, const char *, block *), block *b) {
    tips_stream *stream;
    TIPS_TRY(tips__stream_open(path, &stream));
    const tips_status status = read(stream, path, b);
    tips__stream_close(stream);
    return status;
}

/* Where the set's files are, and what their names start with. */
typedef struct location {
    char folder[TIPS_PATH_SIZE];
    char prefix[256];
    tips_names names;
} location;

static tips_status read_block(const location *at, const char *pictures, const char *labels, block *b) {
    char path[TIPS_PATH_SIZE];
    const char *name = find_part(&at->names, at->prefix, strlen(at->prefix), labels);
    if (!name)
        TIPS_FAIL(TIPS_FORMAT, "%s/%s: has no file of labels (%s%s) beside it", at->folder, pictures, at->prefix,
                  labels);
    TIPS_TRY(tips__path_join(at->folder, pictures, path));
    TIPS_TRY(read_part(path, read_picture_header, b));
    TIPS_TRY(tips__path_join(at->folder, name, b->labels_path));
    TIPS_TRY(read_part(b->labels_path, read_labels, b)); /* few, and as many as there are pictures */
    return read_part(path, read_pictures, b);
}

static tips_status locate(const char *path, location *at) {
    const char *name = NULL;
    size_t length = 0;
    if (snprintf(at->folder, sizeof at->folder, "%s", path) >= TIPS_PATH_SIZE)
        TIPS_FAIL(TIPS_RANGE, "%.80s...: the path is too long", path);
    if (!tips__is_folder(path)) {
        name = tips__base_name(path);
        if (name == path) strcpy(at->folder, ".");
        else at->folder[name - path - 1 + (name - path == 1)] = '\0';
    }
    TIPS_TRY(tips__list_folder(at->folder, &at->names, NULL));
    if (!name) name = find_part(&at->names, NULL, 0, "train-images-idx3-ubyte");
    if (!name || !matches(name, "train-images-idx3-ubyte", &length) || length >= sizeof at->prefix)
        TIPS_FAIL(TIPS_FORMAT, "%s: no file train-images-idx3-ubyte, plain or .gz", path);
    memcpy(at->prefix, name, length);
    for (int i = 0; i < at->names.count && tips__is_folder(path); i++) {
        size_t other = 0;
        if (!matches(at->names.rows[i], "train-images-idx3-ubyte", &other)) continue;
        if (other != length || strncmp(at->names.rows[i], name, length) != 0)
            TIPS_FAIL(TIPS_FORMAT, "%s: holds several sets (%s, %s); name the file of training pictures", path, name,
                      at->names.rows[i]);
    }
    return TIPS_OK;
}

/* Some sets (EMNIST's letters) count from 1. */
static void label_range(const block *train, int *first, int *count) {
    int least = UINT8_MAX, most = 0;
    for (int i = 0; i < train->count; i++) {
        if (train->labels[i] < least) least = train->labels[i];
        if (train->labels[i] > most) most = train->labels[i];
    }
    *first = least == 1 ? 1 : 0;
    *count = most - *first + 1;
}

/* Where the labels alone say how many classes there are, one that is far off would make more of them. */
static tips_status check_labels(const block *train, int first, int count) {
    bool seen[UINT8_MAX + 1] = {false};
    for (int i = 0; i < train->count; i++) seen[train->labels[i]] = true;
    for (int k = first; k < first + count; k++)
        if (!seen[k])
            TIPS_FAIL(TIPS_FORMAT, "%s: has labels up to %d, but none is %d", train->labels_path, first + count - 1, k);
    return TIPS_OK;
}

/* Names from classes.txt, Fashion-MNIST's, or the labels themselves. */
static tips_status name_classes(const char *folder, const block *train, int first, int count, tips_source *source) {
    bool found = false;
    TIPS_TRY(tips__source_class_file(source, folder, "classes.txt", &found));
    if (found) return TIPS_OK;
    TIPS_TRY(check_labels(train, first, count));
    if (count != 10 || !strstr(folder, "fashion")) return tips__source_number_classes(source, first, count);
    for (int k = 0; k < 10; k++) TIPS_TRY(tips__names_add(&source->classes, fashion_classes[k]));
    return TIPS_OK;
}

static tips_status add_blocks(const location *at, tips_source *source) {
    const idx_set *set = source->own;
    int first, count;
    label_range(&set->blocks[TIPS_SPLIT_TRAIN], &first, &count);
    TIPS_TRY(name_classes(at->folder, &set->blocks[TIPS_SPLIT_TRAIN], first, count, source));
    for (int s = 0; s < TIPS_SPLITS; s++) {
        const block *b = &set->blocks[s];
        for (int i = 0; i < b->count; i++)
            TIPS_TRY(tips__source_add(source, (tips_split)s, (uint64_t)i, b->labels[i] - first, b->labels_path, i));
    }
    return tips__source_check_classes(source);
}

static tips_status read_blocks(const char *path, location *at, idx_set *set) {
    block *train = &set->blocks[TIPS_SPLIT_TRAIN], *test = &set->blocks[TIPS_SPLIT_TEST];
    TIPS_TRY(locate(path, at));
    const size_t length = strlen(at->prefix);
    const char *name = find_part(&at->names, at->prefix, length, "train-images-idx3-ubyte");
    TIPS_TRY(read_block(at, name, "train-labels-idx1-ubyte", train));
    if ((name = find_part(&at->names, at->prefix, length, "t10k-images-idx3-ubyte")))
        TIPS_TRY(read_block(at, name, "t10k-labels-idx1-ubyte", test));
    else if ((name = find_part(&at->names, at->prefix, length, "test-images-idx3-ubyte")))
        TIPS_TRY(read_block(at, name, "test-labels-idx1-ubyte", test));
    if (test->count > 0 && (test->height != train->height || test->width != train->width))
        TIPS_FAIL(TIPS_FORMAT, "%s: training pictures of %dx%d, test pictures of %dx%d", path, train->height,
                  train->width, test->height, test->width);
    return TIPS_OK;
}

static tips_status open_idx(const char *path, tips_source *source) {
    idx_set *set;
    location *at;
    TIPS_TRY(tips__new_zero(&set, sizeof *set, "an IDX dataset"));
    source->own = set;
    TIPS_TRY(tips__new_zero(&at, sizeof *at, "the names of files"));
    tips_status status = read_blocks(path, at, set);
    if (status == TIPS_OK) status = add_blocks(at, source);
    tips__names_clear(&at->names);
    tips__free(at);
    source->channels = 1;
    source->height = set->blocks[TIPS_SPLIT_TRAIN].height;
    source->width = set->blocks[TIPS_SPLIT_TRAIN].width;
    return status;
}

static bool recognise(const char *path) {
    size_t prefix = 0;
    tips_names names = {0};
    if (!tips__is_folder(path)) return matches(tips__base_name(path), "train-images-idx3-ubyte", &prefix);
    const bool is_read = tips__list_folder(path, &names, NULL) == TIPS_OK;
    const bool found = is_read && find_part(&names, NULL, 0, "train-images-idx3-ubyte");
    tips__names_clear(&names);
    return found;
}

static tips_status read_item(const tips_source *source, const tips_item *item, tips_image *out) {
    const block *b = &((const idx_set *)source->own)->blocks[item->origin];
    const size_t size = (size_t)b->height * (size_t)b->width;
    tips_image image;
    TIPS_TRY(tips__image_allocate(source->path, b->width, b->height, 1, &image));
    memcpy(image.pixels, b->pixels + item->where * size, size);
    *out = image;
    return TIPS_OK;
}

static void item_name(const tips_source *source, const tips_item *item, char *out, size_t size) {
    snprintf(out, size, "%s %s[%llu]", source->path, tips__split_names[item->origin], (unsigned long long)item->where);
}

static void close_idx(tips_source *source) {
    idx_set *set = source->own;
    for (int s = 0; set && s < TIPS_SPLITS; s++) {
        tips__free(set->blocks[s].pixels);
        tips__free(set->blocks[s].labels);
    }
    tips__free(set);
}

const tips_dataset_format tips__format_idx = {
    .name = "idx",
    .brief = "IDX files, plain or .gz: MNIST, Fashion-MNIST, EMNIST",
    .recognise = recognise,
    .open = open_idx,
    .read = read_item,
    .item_name = item_name,
    .close = close_idx,
};
