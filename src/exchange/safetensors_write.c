/* Writing a safetensors file: the header with all offsets first, then the tensors in the order they were announced, and
 * then the checksum over all of it into its place in the header. */
#include "exchange/safetensors_parts.h"

#include "core/atomic_file.h"
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/utf8.h"
#include "core/xxh64.h"

#include <stdbool.h>
#include <string.h>

enum { ALIGNMENT = 8 };

typedef struct written_tensor {
    char *name;
    int n_dims, id;
    int64_t dims[TIPS_TENSOR_MAX_DIMS];
    size_t elements;
    const float *data; /* or */
    tips_tensor_fill fill;
    void *context;
} written_tensor;

typedef struct written_pair {
    char *key, *value;
} written_pair;

struct tips_safetensors_writer {
    written_tensor *tensors;
    int count, capacity;
    written_pair *metadata;
    int n_metadata, metadata_capacity;
};

tips_status tips__safetensors_create(tips_safetensors_writer **out) {
    return tips__new_zero(out, sizeof **out, "a safetensors writer");
}

void tips__safetensors_destroy(tips_safetensors_writer *w) {
    if (!w) return;
    for (int i = 0; i < w->count; i++) tips__free(w->tensors[i].name);
    for (int i = 0; i < w->n_metadata; i++) tips__free(w->metadata[i].key), tips__free(w->metadata[i].value);
    tips__free(w->tensors);
    tips__free(w->metadata);
    tips__free(w);
}

static tips_status make_room(void *array, int count, int *capacity, size_t item) {
    void *items;
    if (count < *capacity) return TIPS_OK;
    const int larger = *capacity ? 2 * *capacity : 64;
    memcpy(&items, array, sizeof items); /* a pointer to any kind of item */
    void *memory = tips__grow(items, (size_t)count * item, (size_t)larger * item);
    if (!memory) TIPS_FAIL(TIPS_MEMORY, "out of memory for what is to be written");
    memcpy(array, &memory, sizeof memory);
    *capacity = larger;
    return TIPS_OK;
}

static tips_status check_text(const char *text, const char *what) {
    for (size_t step; *text; text += step) {
        uint32_t code_point;
        step = tips__utf8_decode(text, &code_point);
        if (step == 0) TIPS_FAIL(TIPS_INVALID, "%s is not UTF-8", what);
    }
    return TIPS_OK;
}

static tips_status check_name(const char *text, const char *what) {
    TIPS_TRY(check_text(text, what));
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) TIPS_FAIL(TIPS_INVALID, "%s holds a control character", what);
    return TIPS_OK;
}

/* What a file said of another one's bytes: it is said anew of those that are written. */
static bool is_of_sum(const char *key) { return strcmp(key, tips__sum_key) == 0 || strcmp(key, tips__summed_key) == 0; }

tips_status tips__safetensors_add_metadata(tips_safetensors_writer *w, const char *key, const char *value) {
    if (is_of_sum(key)) return TIPS_OK;
    TIPS_TRY(check_name(key, "a key of the metadata"));
    TIPS_TRY(check_text(value, key));
    for (int i = 0; i < w->n_metadata; i++)
        if (strcmp(w->metadata[i].key, key) == 0) TIPS_FAIL(TIPS_INVALID, "metadata '%s' was added before", key);
    TIPS_TRY(make_room(&w->metadata, w->n_metadata, &w->metadata_capacity, sizeof *w->metadata));
    const written_pair pair = {tips__strdup(key), tips__strdup(value)};
    if (!pair.key || !pair.value) {
        tips__free(pair.key);
        tips__free(pair.value);
        TIPS_FAIL(TIPS_MEMORY, "out of memory for metadata");
    }
    w->metadata[w->n_metadata++] = pair;
    return TIPS_OK;
}

static tips_status count_elements(written_tensor *t, const char *name, const int64_t *dims) {
    t->elements = 1;
    for (int i = 0; i < t->n_dims; i++) {
        if (dims[i] < 0 || (dims[i] && t->elements > SIZE_MAX / 8 / (size_t)dims[i]))
            TIPS_FAIL(TIPS_RANGE, "tensor '%s' has a dimension of %lld", name, (long long)dims[i]);
        t->dims[i] = dims[i];
        t->elements *= (size_t)dims[i];
    }
    return TIPS_OK;
}

static tips_status add_tensor(tips_safetensors_writer *w, const char *name, const int64_t *dims,
                              written_tensor tensor) {
    TIPS_TRY(check_name(name, "the name of a tensor"));
    if (strcmp(name, "__metadata__") == 0) TIPS_FAIL(TIPS_INVALID, "a tensor cannot be called %s", name);
    if (tensor.n_dims < 0 || tensor.n_dims > TIPS_TENSOR_MAX_DIMS)
        TIPS_FAIL(TIPS_RANGE, "tensor '%s' has %d dimensions; at most %d", name, tensor.n_dims, TIPS_TENSOR_MAX_DIMS);
    for (int i = 0; i < w->count; i++)
        if (strcmp(w->tensors[i].name, name) == 0) TIPS_FAIL(TIPS_INVALID, "tensor '%s' was added before", name);
    TIPS_TRY(count_elements(&tensor, name, dims));
    TIPS_TRY(make_room(&w->tensors, w->count, &w->capacity, sizeof *w->tensors));
    tensor.name = tips__strdup(name);
    if (!tensor.name) TIPS_FAIL(TIPS_MEMORY, "out of memory for the name of a tensor");
    w->tensors[w->count++] = tensor;
    return TIPS_OK;
}

tips_status tips__safetensors_add_f32(tips_safetensors_writer *w, const char *name, int n_dims, const int64_t *dims,
                                      const float *data) {
    return add_tensor(w, name, dims, (written_tensor){.n_dims = n_dims, .data = data});
}

tips_status tips__safetensors_add_source(tips_safetensors_writer *w, const char *name, int n_dims, const int64_t *dims,
                                         tips_tensor_fill fill, void *context, int id) {
    return add_tensor(w, name, dims, (written_tensor){.n_dims = n_dims, .fill = fill, .context = context, .id = id});
}

static void describe_tensor(tips_json *json, const written_tensor *t, uint64_t begin) {
    tips__json_open_object(json, t->name);
    tips__json_text(json, "dtype", "F32");
    tips__json_open_array(json, "shape");
    for (int i = 0; i < t->n_dims; i++) tips__json_int(json, NULL, t->dims[i]);
    tips__json_close_array(json);
    tips__json_open_array(json, "data_offsets");
    tips__json_int(json, NULL, (int64_t)begin);
    tips__json_int(json, NULL, (int64_t)(begin + t->elements * sizeof(float)));
    tips__json_close_array(json);
    tips__json_close_object(json);
}

static void describe(tips_json *json, const tips_safetensors_writer *w) {
    uint64_t at = 0;
    tips__json_open_object(json, NULL);
    tips__json_open_object(json, "__metadata__");
    tips__json_text(json, tips__sum_key, tips__no_sum);
    for (int i = 0; i < w->n_metadata; i++) tips__json_text(json, w->metadata[i].key, w->metadata[i].value);
    tips__json_text(json, tips__summed_key, "xxh64");
    tips__json_close_object(json);
    for (int i = 0; i < w->count; i++) {
        describe_tensor(json, &w->tensors[i], at);
        at += w->tensors[i].elements * sizeof(float);
    }
    tips__json_close_object(json);
}

/* A file being written, and the checksum of what was. */
typedef struct summed_file {
    tips_atomic_file *file;
    tips_xxh64 sum;
    long sum_at; /* where the checksum goes */
} summed_file;

static tips_status write_bytes(summed_file *out, const void *data, size_t bytes) {
    tips__xxh64_add(&out->sum, data, bytes);
    return tips__atomic_write(out->file, data, bytes);
}

static tips_status write_sum(const summed_file *out) {
    char text[TIPS_XXH64_TEXT];
    tips__xxh64_finish(&out->sum, text);
    return tips__atomic_write_at(out->file, out->sum_at, text, strlen(text));
}

/* Spaces fill the header up, so that the tensors begin at a multiple of 8. */
static tips_status write_header(const tips_safetensors_writer *w, summed_file *out) {
    tips_json *json;
    const char *text;
    size_t length;
    TIPS_TRY(tips__json_create(&json));
    tips__json_compact(json);
    describe(json, w);
    tips_status status = tips__json_result(json, &text, &length);
    if (status == TIPS_OK) {
        const size_t fill = (ALIGNMENT - length % ALIGNMENT) % ALIGNMENT;
        unsigned char count[ALIGNMENT];
        for (int i = 0; i < ALIGNMENT; i++) count[i] = (unsigned char)((uint64_t)(length + fill) >> (8 * i));
        out->sum_at = (long)(sizeof count + tips__sum_place(text, length));
        status = write_bytes(out, count, sizeof count);
        if (status == TIPS_OK) status = write_bytes(out, text, length);
        if (status == TIPS_OK) status = write_bytes(out, "        ", fill);
    }
    tips__json_destroy(json);
    return status;
}

static tips_status write_tensors(const tips_safetensors_writer *w, summed_file *out, float *buffer) {
    for (int i = 0; i < w->count; i++) {
        const written_tensor *t = &w->tensors[i];
        if (t->fill && t->elements) t->fill(t->context, t->id, buffer);
        TIPS_TRY(write_bytes(out, t->fill ? buffer : t->data, t->elements * sizeof(float)));
    }
    return TIPS_OK;
}

tips_status tips__safetensors_write(tips_safetensors_writer *w, const char *path) {
    size_t largest = 1;
    for (int i = 0; i < w->count; i++)
        if (w->tensors[i].fill && w->tensors[i].elements > largest) largest = w->tensors[i].elements;
    summed_file out;
    float *buffer;
    TIPS_TRY(tips__new(&buffer, largest * sizeof *buffer, "a tensor"));
    tips__xxh64_start(&out.sum);
    tips_status status = tips__atomic_open(path, &out.file);
    if (status == TIPS_OK) {
        status = write_header(w, &out);
        if (status == TIPS_OK) status = write_tensors(w, &out, buffer);
        if (status == TIPS_OK) status = write_sum(&out);
        if (status == TIPS_OK) status = tips__atomic_commit(out.file);
        else tips__atomic_abandon(out.file);
    }
    tips__free(buffer);
    return status;
}
