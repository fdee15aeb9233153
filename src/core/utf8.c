/* A strict UTF-8 decoder and the printed width of a text. */
#include "core/utf8.h"

static bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

static size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return 2;
    if (lead >= 0xE0 && lead <= 0xEF) return 3;
    if (lead >= 0xF0 && lead <= 0xF4) return 4;
    return 0;
}

size_t tips__utf8_decode(const char *text, uint32_t *code_point) {
    static const unsigned char lead_mask[5] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    const size_t length = sequence_length(bytes[0]);
    uint32_t code = bytes[0] & lead_mask[length];
    for (size_t i = 1; i < length; i++) {
        if (!is_continuation(bytes[i])) return 0;
        code = code << 6 | (bytes[i] & 0x3Fu);
    }
    if (length == 0 || code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0;
    *code_point = code;
    return length;
}

static size_t columns_of(uint32_t code) {
    static const struct {
        uint32_t first, last;
        size_t columns;
    } ranges[] = {{0x0300, 0x036F, 0},   {0x200B, 0x200F, 0},   {0xFE00, 0xFE0F, 0},  {0x1100, 0x115F, 2},
                  {0x2E80, 0xA4CF, 2},   {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},  {0xFF00, 0xFF60, 2},
                  {0x1F300, 0x1F64F, 2}, {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) return ranges[i].columns;
    }
    return 1;
}

size_t tips__utf8_width(const char *text) {
    size_t width = 0;
    while (*text) {
        uint32_t code = 0xFFFD;
        const size_t length = tips__utf8_decode(text, &code);
        width += columns_of(code);
        text += length ? length : 1;
    }
    return width;
}
