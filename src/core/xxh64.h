/* XXH64, a checksum of 64 bits that is quick: it tells a file that was damaged, not one that somebody forged. A change
 * of up to eight bytes side by side that lie in one word never goes unseen. */
#ifndef TIPS_CORE_XXH64_H
#define TIPS_CORE_XXH64_H

#include <stddef.h>
#include <stdint.h>

typedef struct tips_xxh64 {
    uint64_t lane[4], length; /* bytes taken so far */
    uint8_t block[32];
} tips_xxh64;

enum { TIPS_XXH64_TEXT = 17 };

void tips__xxh64_start(tips_xxh64 *sum);
void tips__xxh64_add(tips_xxh64 *sum, const void *bytes, size_t size);
/* The sum as 16 hexadecimal digits, with seed 0: what `xxhsum -H1` says. */
void tips__xxh64_finish(const tips_xxh64 *sum, char out[TIPS_XXH64_TEXT]);

#endif
