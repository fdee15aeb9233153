/* Control characters spelt out, letter by letter. */
#include "core/visible.h"

#include "core/utf8.h"

#include <stdio.h>
#include <string.h>

enum { SPELLING = 16 };

bool tips__turns_direction(uint32_t c) {
    return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x61c;
}

static bool is_control(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
           tips__turns_direction(c);
}

/* How many bytes of `text` the spelling stands for. */
static size_t spell(const char *text, char out[SPELLING]) {
    uint32_t code = 0;
    const size_t length = tips__utf8_decode(text, &code);
    const size_t bytes = length ? length : 1;
    if (length && !is_control(code)) snprintf(out, SPELLING, "%.*s", (int)length, text);
    else if (length && code > 0xff) snprintf(out, SPELLING, "\\u%04x", (unsigned)code);
    else if (code == '\n') strcpy(out, "\\n");
    else if (code == '\t') strcpy(out, "\\t");
    else if (code == '\r') strcpy(out, "\\r");
    else snprintf(out, SPELLING, "\\x%02x", length ? (unsigned)code : (unsigned char)*text);
    return bytes;
}

bool tips__is_visible(const char *text) {
    for (size_t length; *text; text += length) {
        uint32_t code;
        length = tips__utf8_decode(text, &code);
        if (length == 0 || is_control(code)) return false;
    }
    return true;
}

size_t tips__visible(const char *text, char *out, size_t size) {
    size_t all = 0, written = 0;
    while (*text) {
        char piece[SPELLING];
        text += spell(text, piece);
        const size_t length = strlen(piece);
        all += length;
        if (written + length < size && all == written + length) {
            memcpy(out + written, piece, length);
            written += length;
        }
    }
    if (size > 0) out[written] = '\0';
    return all;
}
