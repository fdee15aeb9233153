/* The pixels of a GIF file: Lempel, Ziv and Welch's codes of growing width, in blocks of up to 255 bytes. A word of the
 * dictionary is another word and one more pixel. */
#include "image/gif_parts.h"

#include "core/fail.h"

enum { MOST_BITS = 12, MOST_WORDS = 1 << MOST_BITS };

typedef struct unpacker {
    gif_bytes *in;
    int block; /* bytes left of it */
    uint32_t buffer;
    int buffered; /* bits */
    int first_bits, bits, next;
    uint16_t before[MOST_WORDS], length[MOST_WORDS];
    uint8_t last[MOST_WORDS], first[MOST_WORDS];
} unpacker;

const uint8_t *tips__gif_take(gif_bytes *in, size_t count) {
    if (count > in->left) return NULL;
    const uint8_t *bytes = in->at;
    in->at += count;
    in->left -= count;
    return bytes;
}

static bool take_byte(unpacker *u) {
    const uint8_t *byte = u->block > 0 ? NULL : tips__gif_take(u->in, 1);
    if (u->block == 0) u->block = byte ? *byte : 0;
    if (u->block == 0 || !(byte = tips__gif_take(u->in, 1))) return false;
    u->block--;
    u->buffer |= (uint32_t)*byte << u->buffered;
    u->buffered += 8;
    return true;
}

/* The next code, or -1 at the end of the bytes. */
static int take_code(unpacker *u) {
    while (u->buffered < u->bits)
        if (!take_byte(u)) return -1;
    const int code = (int)(u->buffer & ((1u << u->bits) - 1));
    u->buffer >>= u->bits;
    u->buffered -= u->bits;
    return code;
}

static int clear_code(const unpacker *u) { return 1 << (u->first_bits - 1); }

static void clear(unpacker *u) {
    u->bits = u->first_bits;
    u->next = clear_code(u) + 2;
    for (int i = 0; i < clear_code(u); i++) {
        u->first[i] = u->last[i] = (uint8_t)i;
        u->length[i] = 1;
    }
}

static void learn(unpacker *u, int before, uint8_t pixel) {
    if (u->next >= MOST_WORDS) return;
    u->before[u->next] = (uint16_t)before;
    u->length[u->next] = (uint16_t)(u->length[before] + 1);
    u->first[u->next] = u->first[before];
    u->last[u->next] = pixel;
    u->next++;
    if (u->next == 1 << u->bits && u->bits < MOST_BITS) u->bits++;
}

/* Writes a word from its end; what is beyond the picture is dropped. */
static size_t write_word(const unpacker *u, int code, uint8_t *out, size_t room) {
    const size_t length = u->length[code];
    for (size_t i = length; i-- > 0; code = u->before[code])
        if (i < room) out[i] = u->last[code];
    return length < room ? length : room;
}

/* A word that is not there yet is the one before and its own first pixel. */
static bool spell(unpacker *u, int code, int before, uint8_t *out, size_t room, size_t *written) {
    if (code > u->next || (code == u->next && before < 0) || code == clear_code(u) + 1) return false;
    if (before >= 0) {
        const bool is_new = code == u->next;
        if (is_new && u->next >= MOST_WORDS) return false;
        learn(u, before, u->first[is_new ? before : code]);
    }
    *written = write_word(u, code, out, room);
    return true;
}

tips_status tips__gif_unpack(gif_bytes *in, uint8_t *out, size_t count) {
    const uint8_t *width = tips__gif_take(in, 1);
    unpacker u = {.in = in, .first_bits = width ? *width + 1 : 0};
    if (u.first_bits < 2 || u.first_bits > 9) TIPS_FAIL(TIPS_FORMAT, "%s: its pixels have no valid code", in->path);
    clear(&u);
    for (size_t done = 0, written = 0, before_is = 0, before = 0; done < count;) {
        const int code = take_code(&u);
        if (code < 0) TIPS_FAIL(TIPS_FORMAT, "%s: cut short, %zu of %zu pixels", in->path, done, count);
        if (code == clear_code(&u)) {
            clear(&u);
            before_is = 0;
            continue;
        }
        if (!spell(&u, code, before_is ? (int)before : -1, out + done, count - done, &written))
            TIPS_FAIL(TIPS_FORMAT, "%s: a code that says nothing after %zu of %zu pixels", in->path, done, count);
        before = (size_t)code;
        before_is = 1;
        done += written;
    }
    return TIPS_OK;
}
