/* After the description of the algorithm by Yann Collet (xxhash_spec.md). Bytes are taken as little-endian words. */
#include "core/xxh64.h"

#include <stdio.h>
#include <string.h>

static const uint64_t prime1 = 0x9e3779b185ebca87u, prime2 = 0xc2b2ae3d27d4eb4fu, prime3 = 0x165667b19e3779f9u,
                      prime4 = 0x85ebca77c2b2ae63u, prime5 = 0x27d4eb2f165667c5u;

static uint64_t turn(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }

static uint64_t word(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

static uint64_t mix(uint64_t lane, uint64_t input) { return turn(lane + input * prime2, 31) * prime1; }

static void take_block(uint64_t lane[4], const uint8_t *bytes) {
    for (int i = 0; i < 4; i++) lane[i] = mix(lane[i], word(bytes + (ptrdiff_t)8 * i, 8));
}

void tips__xxh64_start(tips_xxh64 *s) { *s = (tips_xxh64){.lane = {prime1 + prime2, prime2, 0, 0 - prime1}}; }

void tips__xxh64_add(tips_xxh64 *s, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    while (size > 0) {
        const size_t used = s->length % 32, room = 32 - used, n = size < room ? size : room;
        const uint8_t *block = n == 32 ? at : s->block;
        if (n < 32) memcpy(s->block + used, at, n);
        s->length += n;
        if (n == room) take_block(s->lane, block);
        at += n;
        size -= n;
    }
}

static uint64_t join_lanes(const tips_xxh64 *s) {
    static const int turns[4] = {1, 7, 12, 18};
    uint64_t h = 0;
    if (s->length < 32) return s->lane[2] + prime5;
    for (int i = 0; i < 4; i++) h += turn(s->lane[i], turns[i]);
    for (int i = 0; i < 4; i++) h = (h ^ mix(0, s->lane[i])) * prime1 + prime4;
    return h;
}

/* What did not fill a block. */
static uint64_t take_rest(uint64_t h, const uint8_t *at, size_t left) {
    for (; left >= 8; at += 8, left -= 8) h = turn(h ^ mix(0, word(at, 8)), 27) * prime1 + prime4;
    if (left >= 4) {
        h = turn(h ^ word(at, 4) * prime1, 23) * prime2 + prime3;
        at += 4, left -= 4;
    }
    for (; left > 0; at++, left--) h = turn(h ^ *at * prime5, 11) * prime1;
    return h;
}

void tips__xxh64_finish(const tips_xxh64 *s, char out[TIPS_XXH64_TEXT]) {
    uint64_t h = take_rest(join_lanes(s) + s->length, s->block, s->length % 32);
    h = (h ^ h >> 33) * prime2;
    h = (h ^ h >> 29) * prime3;
    h ^= h >> 32;
    snprintf(out, TIPS_XXH64_TEXT, "%016llx", (unsigned long long)h);
}
