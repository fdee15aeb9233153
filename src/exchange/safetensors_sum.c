/* The checksum of a file in its own metadata, which safetensors of other programs leave as it is. */
#include "exchange/safetensors_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/xxh64.h"

#include <stdio.h>
#include <string.h>

enum { LENGTH_BYTES = 8, CHUNK = 1 << 20, DIGITS = TIPS_XXH64_TEXT - 1 };

const char tips__sum_key[] = "tips.xxh64", tips__summed_key[] = "tips.summed", tips__no_sum[] = "0000000000000000";

/* Quotes within texts are escaped, so that this is the key and nothing else. */
size_t tips__sum_place(const char *header, size_t length) {
    char before[32];
    const size_t size = (size_t)snprintf(before, sizeof before, "\"%s\":\"", tips__sum_key);
    const char *found = memmem(header, length, before, size);
    const size_t at = found ? (size_t)(found - header) + size : 0;
    return at && length - at > DIGITS ? at : 0;
}

static tips_status add_tensors(const tips_safetensors *file, tips_xxh64 *sum, unsigned char *buffer) {
    for (uint64_t at = 0; at < file->data_bytes; at += CHUNK) {
        const uint64_t left = file->data_bytes - at;
        const size_t part = left < CHUNK ? (size_t)left : CHUNK;
        TIPS_TRY(tips__safetensors_read_at(file, file->data_begin + at, buffer, part));
        tips__xxh64_add(sum, buffer, part);
    }
    return TIPS_OK;
}

static void add_header(const char *header, size_t length, size_t place, tips_xxh64 *sum) {
    unsigned char count[LENGTH_BYTES];
    for (int i = 0; i < LENGTH_BYTES; i++) count[i] = (unsigned char)((uint64_t)length >> (8 * i));
    tips__xxh64_add(sum, count, sizeof count);
    tips__xxh64_add(sum, header, place);
    tips__xxh64_add(sum, tips__no_sum, DIGITS);
    tips__xxh64_add(sum, header + place + DIGITS, length - place - DIGITS);
}

static tips_status sum_file(const tips_safetensors *file, const char *header, size_t length, size_t place,
                            char out[TIPS_XXH64_TEXT]) {
    tips_xxh64 sum;
    unsigned char *buffer;
    TIPS_TRY(tips__new(&buffer, CHUNK, "a part of a file"));
    tips__xxh64_start(&sum);
    add_header(header, length, place, &sum);
    const tips_status status = add_tensors(file, &sum, buffer);
    tips__free(buffer);
    if (status == TIPS_OK) tips__xxh64_finish(&sum, out);
    return status;
}

tips_status tips__safetensors_verify(tips_safetensors *file, const char *header, size_t length) {
    const char *said = tips__safetensors_metadata(file, tips__sum_key);
    const size_t place = tips__sum_place(header, length);
    char sum[TIPS_XXH64_TEXT] = "";
    if (!said && !tips__safetensors_metadata(file, tips__summed_key)) return TIPS_OK;
    if (said && place) TIPS_TRY(sum_file(file, header, length, place, sum));
    file->is_verified = said && strcmp(said, sum) == 0;
    if (file->is_verified) return TIPS_OK;
    TIPS_FAIL(
        TIPS_FORMAT,
        "it is damaged: its checksum (%.40s in its metadata) is not that of its bytes; take a copy that is whole. If "
        "another program changed it on purpose, remove '%s' and '%s' from its metadata",
        said ? said : "missing", tips__sum_key, tips__summed_key);
}
