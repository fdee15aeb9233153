/* SHA-256 as FIPS 180-4 writes it; the names of the functions are the standard's. */
#include "core/sha256.h"

#include "core/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }
static uint32_t ch(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (~x & z); }
static uint32_t maj(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (x & z) ^ (y & z); }
static uint32_t sum_0(uint32_t x) { return rotate(x, 2) ^ rotate(x, 13) ^ rotate(x, 22); }
static uint32_t sum_1(uint32_t x) { return rotate(x, 6) ^ rotate(x, 11) ^ rotate(x, 25); }
static uint32_t sigma_0(uint32_t x) { return rotate(x, 7) ^ rotate(x, 18) ^ x >> 3; }
static uint32_t sigma_1(uint32_t x) { return rotate(x, 17) ^ rotate(x, 19) ^ x >> 10; }

static void schedule(const uint8_t *block, uint32_t w[64]) {
    for (int t = 0; t < 16; t++) {
        const uint8_t *b = block + 4 * t;
        w[t] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int t = 16; t < 64; t++) w[t] = sigma_1(w[t - 2]) + w[t - 7] + sigma_0(w[t - 15]) + w[t - 16];
}

static void compress(uint32_t state[8], const uint8_t *block) {
    uint32_t w[64], v[8];
    schedule(block, w);
    memcpy(v, state, sizeof v);
    for (int t = 0; t < 64; t++) {
        const uint32_t t1 = v[7] + sum_1(v[4]) + ch(v[4], v[5], v[6]) + constants[t] + w[t];
        const uint32_t t2 = sum_0(v[0]) + maj(v[0], v[1], v[2]);
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

void tips__sha256_start(tips_sha256 *sum) {
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sum->state, first, sizeof first);
    sum->length = 0;
}

void tips__sha256_add(tips_sha256 *sum, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        const size_t used = sum->length % 64, room = 64 - used, n = size < room ? size : room;
        memcpy(sum->block + used, at, n);
        sum->length += n;
        at += n;
        size -= n;
        if (n == room) compress(sum->state, sum->block);
    }
}

static void close_sum(tips_sha256 *sum) {
    static const uint8_t padding[64] = {0x80};
    const uint64_t bits = 8 * sum->length;
    uint8_t length[8];
    for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
    tips__sha256_add(sum, padding, 1 + (119 - sum->length % 64) % 64);
    tips__sha256_add(sum, length, sizeof length);
}

void tips__sha256_bytes(tips_sha256 *sum, uint8_t out[TIPS_SHA256_BYTES]) {
    close_sum(sum);
    for (int i = 0; i < TIPS_SHA256_BYTES; i++) out[i] = (uint8_t)(sum->state[i / 4] >> (24 - 8 * (i % 4)));
}

void tips__sha256_finish(tips_sha256 *sum, char out[TIPS_SHA256_TEXT]) {
    close_sum(sum);
    for (int i = 0; i < 8; i++) snprintf(out + (ptrdiff_t)8 * i, 9, "%08x", (unsigned)sum->state[i]);
}

tips_status tips__sha256_file(const char *path, char out[TIPS_SHA256_TEXT]) {
    tips_sha256 sum;
    uint8_t buffer[1 << 15];
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    tips__sha256_start(&sum);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) tips__sha256_add(&sum, buffer, n);
    const int failed = ferror(file);
    fclose(file);
    if (failed) TIPS_FAIL(TIPS_IO, "%s: cannot be read", path);
    tips__sha256_finish(&sum, out);
    return TIPS_OK;
}
