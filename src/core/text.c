/* Doubles its room as it grows. */
#include "core/text.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static bool make_room(tips_text *t, size_t more) {
    if (t->failed) return false;
    if (more < t->capacity - t->length) return true;
    size_t capacity = t->capacity ? t->capacity : 256;
    while (capacity - t->length <= more && capacity < SIZE_MAX / 2) capacity *= 2;
    char *data = capacity - t->length > more ? tips__grow(t->data, t->length, capacity) : NULL;
    t->failed = !data;
    if (!data) return false;
    t->data = data;
    t->capacity = capacity;
    return true;
}

void tips__text_add_bytes(tips_text *t, const char *bytes, size_t count) {
    if (!make_room(t, count)) return;
    memcpy(t->data + t->length, bytes, count);
    t->length += count;
    t->data[t->length] = '\0';
}

void tips__text_add(tips_text *t, const char *piece) { tips__text_add_bytes(t, piece, strlen(piece)); }

void tips__text_print(tips_text *t, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (length < 0) t->failed = true;
    if (length >= 0 && make_room(t, (size_t)length)) {
        vsnprintf(t->data + t->length, (size_t)length + 1, fmt, again);
        t->length += (size_t)length;
    }
    va_end(again);
}

void tips__text_fixed(tips_text *t, double value, int decimals) {
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    if (!isfinite(value) || fabs(value) > 1e11) {
        tips__text_add(t, "-");
        return;
    }
    const int64_t power = powers[decimals], scaled = llround(value * (double)power),
                  size = scaled < 0 ? -scaled : scaled;
    tips__text_print(t, "%s%lld", scaled < 0 ? "-" : "", (long long)(size / power));
    if (decimals > 0) tips__text_print(t, ".%0*lld", decimals, (long long)(size % power));
}

void tips__text_short(tips_text *t, double value, int decimals) {
    const size_t start = t->length;
    tips__text_fixed(t, value, decimals);
    if (t->failed || !memchr(t->data + start, '.', t->length - start)) return;
    while (t->data[t->length - 1] == '0') t->length--;
    if (t->data[t->length - 1] == '.') t->length--;
    t->data[t->length] = '\0';
}

void tips__text_word(tips_text *t, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        tips__text_add(t, word);
        return;
    }
    tips__text_add(t, "'");
    for (const char *quote; (quote = strchr(word, '\'')); word = quote + 1) {
        tips__text_add_bytes(t, word, (size_t)(quote - word));
        tips__text_add(t, "'\\''");
    }
    tips__text_add(t, word);
    tips__text_add(t, "'");
}

void tips__text_base64(tips_text *t, const void *bytes, size_t count) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const uint32_t three =
            (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) | (left > 2 ? at[i + 2] : 0);
        const char four[4] = {letters[three >> 18], letters[three >> 12 & 63],
                              left > 1 ? letters[three >> 6 & 63] : '=', left > 2 ? letters[three & 63] : '='};
        tips__text_add_bytes(t, four, sizeof four);
    }
}

tips_status tips__text_check(const tips_text *t) {
    if (t->failed) TIPS_FAIL(TIPS_MEMORY, "out of memory for a text of more than %zu bytes", t->length);
    return TIPS_OK;
}

void tips__text_clear(tips_text *t) {
    tips__free(t->data);
    *t = (tips_text){0};
}
