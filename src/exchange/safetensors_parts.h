/* What the files of the safetensors reader share. */
#ifndef TIPS_EXCHANGE_SAFETENSORS_PARTS_H
#define TIPS_EXCHANGE_SAFETENSORS_PARTS_H

#include <stdbool.h>

#include "exchange/safetensors.h"

typedef struct safetensors_pair {
    const char *key, *value;
} safetensors_pair;

struct tips_safetensors {
    char *path;
    int descriptor;
    uint64_t data_begin, data_bytes; /* of the file: where tensors begin, and how much there is of them */
    tips_tensor_entry *entries;      /* (count), by offset */
    const tips_tensor_entry **by_name;
    int count, capacity;
    safetensors_pair *metadata; /* (n_metadata), by key */
    int n_metadata, metadata_capacity;
    char *texts; /* all names, keys and values; never more bytes than the header */
    size_t texts_used, texts_size;
    bool is_verified; /* its checksum is that of its bytes */
};

/* Fills entries and metadata from the JSON text; names, types, shapes and sizes are checked one by one. */
tips_status tips__safetensors_parse(tips_safetensors *file, const char *header, size_t length) TIPS_MUST_CHECK;
/* Sorts entries and metadata; refuses names that occur twice, and tensors that overlap or leave gaps. */
tips_status tips__safetensors_arrange(tips_safetensors *file) TIPS_MUST_CHECK;

/* safetensors_sum.c: the checksum in the metadata of files that this program writes. It is XXH64 over the whole file,
 * with zeros where it stands itself. The second key says that there is one, so that no one damaged byte hides it. */
extern const char tips__sum_key[], tips__summed_key[], tips__no_sum[];
/* Where its digits begin in the text of a header, 0 if there are none. */
size_t tips__sum_place(const char *header, size_t length);
/* Reads the whole file if it has a checksum; refuses one that is damaged. */
tips_status tips__safetensors_verify(tips_safetensors *file, const char *header, size_t length) TIPS_MUST_CHECK;
tips_status tips__safetensors_read_at(const tips_safetensors *file, uint64_t at, void *out,
                                      size_t bytes) TIPS_MUST_CHECK;

#endif
