/* SHA-256 (FIPS 180-4), for checking what was downloaded or written. */
#ifndef TIPS_CORE_SHA256_H
#define TIPS_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

typedef struct tips_sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes taken so far */
    uint8_t block[64];
} tips_sha256;

enum { TIPS_SHA256_TEXT = 65, TIPS_SHA256_BYTES = 32 };

void tips__sha256_start(tips_sha256 *sum);
void tips__sha256_add(tips_sha256 *sum, const void *bytes, size_t size);
/* The sum as 32 bytes. */
void tips__sha256_bytes(tips_sha256 *sum, uint8_t out[TIPS_SHA256_BYTES]);
/* The sum as 64 hexadecimal digits. */
void tips__sha256_finish(tips_sha256 *sum, char out[TIPS_SHA256_TEXT]);

tips_status tips__sha256_file(const char *path, char out[TIPS_SHA256_TEXT]) TIPS_MUST_CHECK;

#endif
