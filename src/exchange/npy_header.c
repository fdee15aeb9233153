/* The header of a .npy file: a Python dictionary of exactly three keys, in any order.
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  then blanks and a newline. */
#include "exchange/npy.h"

#include "core/fail.h"

#include <stdbool.h>
#include <string.h>

typedef struct scanner {
    const char *path, *at, *end;
} scanner;

static void skip_blanks(scanner *s) {
    while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at) s->at++;
}

/* Takes `word` if it is next. */
static bool take(scanner *s, const char *word) {
    const size_t length = strlen(word);
    skip_blanks(s);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0) return false;
    s->at += length;
    return true;
}

/* A quoted text without escapes. */
static tips_status take_text(scanner *s, char *out, size_t size) {
    skip_blanks(s);
    const char quote = s->at < s->end ? *s->at : '\0';
    if (quote != '\'' && quote != '"') TIPS_FAIL(TIPS_FORMAT, "%s: the .npy header is no dictionary of texts", s->path);
    const char *close = memchr(s->at + 1, quote, (size_t)(s->end - s->at - 1));
    const size_t length = close ? (size_t)(close - s->at - 1) : size;
    if (length >= size) TIPS_FAIL(TIPS_FORMAT, "%s: a text of the .npy header does not end, or is too long", s->path);
    memcpy(out, s->at + 1, length);
    out[length] = '\0';
    s->at = close + 1;
    return TIPS_OK;
}

static tips_status take_descr(scanner *s) {
    char descr[16];
    TIPS_TRY(take_text(s, descr, sizeof descr));
    if (strcmp(descr, "<f4") != 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: holds values of type '%s'; 32-bit floats ('<f4') are read", s->path, descr);
    return TIPS_OK;
}

static tips_status take_order(scanner *s) {
    if (take(s, "True")) TIPS_FAIL(TIPS_FORMAT, "%s: is in Fortran order; save it in C order", s->path);
    if (!take(s, "False")) TIPS_FAIL(TIPS_FORMAT, "%s: fortran_order is neither True nor False", s->path);
    return TIPS_OK;
}

static tips_status take_number(scanner *s, int64_t *out) {
    const int64_t most = INT64_MAX / 64;
    int64_t value = 0;
    skip_blanks(s);
    const char *start = s->at;
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        value = 10 * value + (*s->at - '0');
        if (value > most) TIPS_FAIL(TIPS_FORMAT, "%s: a dimension is too large", s->path);
    }
    if (s->at == start) TIPS_FAIL(TIPS_FORMAT, "%s: a dimension is not a number", s->path);
    *out = value;
    return TIPS_OK;
}

/* "()", "(3,)", "(2, 3)"; a single dimension has its comma. */
static tips_status take_shape(scanner *s, tips_npy *out) {
    out->n_dims = 0;
    if (!take(s, "(")) TIPS_FAIL(TIPS_FORMAT, "%s: the shape is no tuple", s->path);
    bool comma = true;
    while (!take(s, ")")) {
        if (!comma) TIPS_FAIL(TIPS_FORMAT, "%s: the shape is no tuple", s->path);
        if (out->n_dims == TIPS_NPY_MAX_DIMS)
            TIPS_FAIL(TIPS_FORMAT, "%s: has more than %d dimensions", s->path, TIPS_NPY_MAX_DIMS);
        TIPS_TRY(take_number(s, &out->dims[out->n_dims++]));
        comma = take(s, ",");
    }
    if (out->n_dims == 1 && !comma) TIPS_FAIL(TIPS_FORMAT, "%s: the shape is no tuple", s->path);
    return TIPS_OK;
}

static tips_status count_elements(const scanner *s, tips_npy *out) {
    uint64_t elements = 1;
    for (int i = 0; i < out->n_dims; i++) {
        const uint64_t dim = (uint64_t)out->dims[i];
        if (dim > 0 && elements > (uint64_t)(INT64_MAX / 4) / dim) TIPS_FAIL(TIPS_FORMAT, "%s: is too large", s->path);
        elements *= dim;
    }
    out->elements = (size_t)elements;
    return TIPS_OK;
}

enum { DESCR = 1, ORDER = 2, SHAPE = 4 };

static tips_status take_entry(scanner *s, unsigned *seen, tips_npy *out) {
    char key[16];
    TIPS_TRY(take_text(s, key, sizeof key));
    const unsigned bit = !strcmp(key, "descr")           ? DESCR
                         : !strcmp(key, "fortran_order") ? ORDER
                         : !strcmp(key, "shape")         ? SHAPE
                                                         : 0;
    if (!bit || *seen & bit)
        TIPS_FAIL(TIPS_FORMAT, "%s: the key '%s' of the .npy header is unknown or doubled", s->path, key);
    if (!take(s, ":")) TIPS_FAIL(TIPS_FORMAT, "%s: the key '%s' of the .npy header has no value", s->path, key);
    *seen |= bit;
    if (bit == DESCR) return take_descr(s);
    return bit == ORDER ? take_order(s) : take_shape(s, out);
}

tips_status tips__npy_parse_header(const char *path, const char *text, size_t size, tips_npy *out) {
    scanner s = {.path = path, .at = text, .end = text + size};
    tips_npy array = {0};
    unsigned seen = 0;
    bool comma = true;
    if (!take(&s, "{")) TIPS_FAIL(TIPS_FORMAT, "%s: the .npy header is no dictionary", path);
    while (!take(&s, "}")) {
        if (!comma) TIPS_FAIL(TIPS_FORMAT, "%s: entries of the .npy header are not parted by commas", path);
        TIPS_TRY(take_entry(&s, &seen, &array));
        comma = take(&s, ",");
    }
    skip_blanks(&s);
    if (s.at != s.end) TIPS_FAIL(TIPS_FORMAT, "%s: something follows the dictionary of the .npy header", path);
    if (seen != (DESCR | ORDER | SHAPE))
        TIPS_FAIL(TIPS_FORMAT, "%s: the .npy header lacks descr, fortran_order or shape", path);
    TIPS_TRY(count_elements(&s, &array));
    *out = array;
    return TIPS_OK;
}
