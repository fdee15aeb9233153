/* Order among the tensors of a file: by offset without overlaps and gaps, by name without duplicates. */
#include "exchange/safetensors_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 80 };

static int by_offset(const void *a, const void *b) {
    const tips_tensor_entry *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(const tips_tensor_entry *const *)a)->name, (*(const tips_tensor_entry *const *)b)->name);
}

static int by_key(const void *a, const void *b) {
    return strcmp(((const safetensors_pair *)a)->key, ((const safetensors_pair *)b)->key);
}

/* The data must be covered from its first to its last byte, each by one tensor. */
static tips_status check_cover(const tips_safetensors *file) {
    uint64_t end = 0;
    for (int i = 0; i < file->count; i++) {
        const tips_tensor_entry *e = &file->entries[i];
        if (e->begin < end)
            TIPS_FAIL(TIPS_FORMAT, "tensors '%.*s' and '%.*s' overlap", SHOWN, file->entries[i - 1].name, SHOWN,
                      e->name);
        if (e->begin > end)
            TIPS_FAIL(TIPS_FORMAT, "there is a gap of %llu bytes before tensor '%.*s'",
                      (unsigned long long)(e->begin - end), SHOWN, e->name);
        end = e->end;
    }
    if (end != file->data_bytes)
        TIPS_FAIL(TIPS_FORMAT, "%llu bytes after the last tensor belong to none",
                  (unsigned long long)(file->data_bytes - end));
    return TIPS_OK;
}

static tips_status check_names(tips_safetensors *file) {
    const size_t count = (size_t)file->count;
    TIPS_TRY(tips__new(&file->by_name, (count ? count : 1) * sizeof *file->by_name, "the names of tensors"));
    for (int i = 0; i < file->count; i++) file->by_name[i] = &file->entries[i];
    qsort(file->by_name, count, sizeof *file->by_name, by_name);
    for (int i = 1; i < file->count; i++)
        if (strcmp(file->by_name[i - 1]->name, file->by_name[i]->name) == 0)
            TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' occurs twice", SHOWN, file->by_name[i]->name);
    return TIPS_OK;
}

static tips_status check_metadata(tips_safetensors *file) {
    if (file->n_metadata == 0) return TIPS_OK;
    qsort(file->metadata, (size_t)file->n_metadata, sizeof *file->metadata, by_key);
    for (int i = 1; i < file->n_metadata; i++)
        if (strcmp(file->metadata[i - 1].key, file->metadata[i].key) == 0)
            TIPS_FAIL(TIPS_FORMAT, "__metadata__: '%.*s' occurs twice", SHOWN, file->metadata[i].key);
    return TIPS_OK;
}

tips_status tips__safetensors_arrange(tips_safetensors *file) {
    if (file->count) qsort(file->entries, (size_t)file->count, sizeof *file->entries, by_offset);
    TIPS_TRY(check_names(file));
    TIPS_TRY(check_metadata(file));
    return check_cover(file);
}

int tips__safetensors_find(const tips_safetensors *file, const char *name) {
    const tips_tensor_entry wanted = {.name = name}, *key = &wanted;
    const tips_tensor_entry **found = bsearch(&key, file->by_name, (size_t)file->count, sizeof *file->by_name, by_name);
    return found ? (int)(*found - file->entries) : -1;
}

const char *tips__safetensors_metadata(const tips_safetensors *file, const char *key) {
    const safetensors_pair wanted = {.key = key};
    if (file->n_metadata == 0) return NULL;
    const safetensors_pair *found =
        bsearch(&wanted, file->metadata, (size_t)file->n_metadata, sizeof *file->metadata, by_key);
    return found ? found->value : NULL;
}
