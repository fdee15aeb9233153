/* Binary PGM (P5) and PPM (P6), one byte a sample. */
#include "core/fail.h"
#include "image/image_parts.h"

#include <stdbool.h>

typedef struct header {
    const uint8_t *at, *end;
} header;

static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip_blanks(header *in) {
    while (in->at < in->end && (is_space(*in->at) || *in->at == '#')) {
        if (*in->at++ != '#') continue;
        while (in->at < in->end && *in->at != '\n') in->at++;
    }
}

/* A number below ten million, or -1. */
static long read_number(header *in) {
    long value = -1;
    skip_blanks(in);
    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
        value = (value < 0 ? 0 : value) * 10 + (*in->at - '0');
        if (value > 9999999) return -1;
    }
    return value;
}

tips_status tips__image_read_pnm(const char *path, const uint8_t *bytes, size_t size, tips_image *out) {
    header in = {bytes + 2, bytes + size};
    const int c = bytes[1] == '5' ? 1 : 3;
    const long w = read_number(&in), h = read_number(&in), most = read_number(&in);
    if (w < 0 || h < 0 || most < 0 || in.at == in.end || !is_space(*in.at))
        TIPS_FAIL(TIPS_FORMAT, "%s: the header is not one of a PGM or PPM file", path);
    if (most < 1 || most > 255) TIPS_FAIL(TIPS_FORMAT, "%s: samples up to %ld; 1..255 is read", path, most);
    in.at++;
    TIPS_TRY(tips__image_check(path, w, h));
    const size_t samples = (size_t)w * (size_t)h * (size_t)c;
    if ((size_t)(in.end - in.at) < samples)
        TIPS_FAIL(TIPS_FORMAT, "%s: cut short, %zu of %zu bytes of pixels", path, (size_t)(in.end - in.at), samples);
    tips_image image;
    TIPS_TRY(tips__image_allocate(path, w, h, c, &image));
    for (size_t i = 0; i < samples; i++) {
        const long value = in.at[i] < most ? in.at[i] : most;
        image.pixels[i] = (uint8_t)((value * 255 + most / 2) / most);
    }
    *out = image;
    return TIPS_OK;
}
