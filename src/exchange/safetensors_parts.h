/* What the files of the safetensors reader share. */
#ifndef TIPS_EXCHANGE_SAFETENSORS_PARTS_H
#define TIPS_EXCHANGE_SAFETENSORS_PARTS_H

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
};

/* Fills entries and metadata from the JSON text; names, types, shapes and sizes are checked one by one. */
tips_status tips__safetensors_parse(tips_safetensors *file, const char *header, size_t length) TIPS_MUST_CHECK;
/* Sorts entries and metadata; refuses names that occur twice, and tensors that overlap or leave gaps. */
tips_status tips__safetensors_arrange(tips_safetensors *file) TIPS_MUST_CHECK;

#endif
