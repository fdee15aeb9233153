/* The safetensors format: an 8-byte little-endian header length, a JSON header, raw tensors. Headers from elsewhere are
 * not trusted: sizes, overlaps, gaps, types and nesting are checked before anything is allocated or read. */
#ifndef TIPS_EXCHANGE_SAFETENSORS_H
#define TIPS_EXCHANGE_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

enum { TIPS_TENSOR_MAX_DIMS = 8 };

typedef struct tips_tensor_entry {
    const char *name;
    char dtype[8];               /* "F32", "F16", "BF16", "F64", "I64", ... */
    int n_dims;
    int64_t dims[TIPS_TENSOR_MAX_DIMS];
    uint64_t begin, end;         /* bytes from the start of the data */
} tips_tensor_entry;

typedef struct tips_safetensors tips_safetensors;

tips_status tips__safetensors_open(const char *path, tips_safetensors **out) TIPS_MUST_CHECK;
void tips__safetensors_close(tips_safetensors *file);
int tips__safetensors_count(const tips_safetensors *file);
/* Whether its checksum was compared with its bytes, all of them; files of other programs have none. */
bool tips__safetensors_is_verified(const tips_safetensors *file);
/* In the order of the data. */
const tips_tensor_entry *tips__safetensors_entry(const tips_safetensors *file, int i);
size_t tips__tensor_elements(const tips_tensor_entry *entry);
int tips__safetensors_find(const tips_safetensors *file, const char *name); /* -1 if absent */
/* The value of a key of __metadata__, NULL if absent. */
const char *tips__safetensors_metadata(const tips_safetensors *file, const char *key);
int tips__safetensors_metadata_count(const tips_safetensors *file);
void tips__safetensors_metadata_at(const tips_safetensors *file, int i, const char **key, const char **value);
/* Tensor i as floats in its plain order; F16, BF16, F64 and integers are converted. `elements` must match.
 * Messages do not name the file. */
tips_status tips__safetensors_read(const tips_safetensors *file, int i, float *out, size_t elements) TIPS_MUST_CHECK;

/* Writing: tensors and metadata are announced, then written in one go, with a checksum of it all, to a temporary file
 * beside `path`, synced and renamed over it, so that a reader never sees half a file and a full disk keeps the old one.
 */
typedef struct tips_safetensors_writer tips_safetensors_writer;
tips_status tips__safetensors_create(tips_safetensors_writer **out) TIPS_MUST_CHECK;
void tips__safetensors_destroy(tips_safetensors_writer *writer);
tips_status tips__safetensors_add_metadata(tips_safetensors_writer *w, const char *key,
                                           const char *value) TIPS_MUST_CHECK;
/* `data` is borrowed until tips__safetensors_write. */
tips_status tips__safetensors_add_f32(tips_safetensors_writer *w, const char *name, int n_dims, const int64_t *dims,
                                      const float *data) TIPS_MUST_CHECK;
/* A tensor that is made when it is written, so that not all need memory at once. */
typedef void (*tips_tensor_fill)(void *context, int id, float *out);
tips_status tips__safetensors_add_source(tips_safetensors_writer *w, const char *name, int n_dims, const int64_t *dims,
                                         tips_tensor_fill fill, void *context, int id) TIPS_MUST_CHECK;
tips_status tips__safetensors_write(tips_safetensors_writer *w, const char *path) TIPS_MUST_CHECK;

#endif
