/* A writer of PNG files: one chunk of stored, not compressed, rows without filters. */
#include "support/png_files.h"

#include "image/image_read.h"
#include "support/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_byte(data_bytes *b, int value) { data_put(b, &(uint8_t){(uint8_t)value}, 1); }

static void put_chunk(data_bytes *out, const char *name, const data_bytes *body) {
    data_bytes named = {0};
    data_put(&named, name, 4);
    data_put(&named, body->data, body->size);
    data_put_big_endian(out, (uint32_t)body->size);
    data_put(out, named.data, named.size);
    data_put_big_endian(out, data_crc_32(named.data, named.size));
    data_free(&named);
}

static void put_header(data_bytes *out, png_kind kind, int h, int w) {
    data_bytes b = {0};
    data_put_big_endian(&b, (uint32_t)w);
    data_put_big_endian(&b, (uint32_t)h);
    data_put(&b, (uint8_t[]){(uint8_t)kind.bits, (uint8_t)kind.type, 0, 0, 0}, 5);
    put_chunk(out, "IHDR", &b);
    data_free(&b);
}

static void put_row(data_bytes *rows, png_kind kind, int count, const uint8_t *numbers) {
    int held = 0, bits = 0;
    put_byte(rows, 0);
    for (int i = 0; i < count; i++) {
        if (kind.bits >= 8) {
            put_byte(rows, numbers[i]);
            if (kind.bits == 16) put_byte(rows, 77);
            continue;
        }
        held = held << kind.bits | numbers[i];
        bits += kind.bits;
        if (bits == 8 || i + 1 == count) {
            put_byte(rows, held << (8 - bits));
            held = bits = 0;
        }
    }
}

/* A zlib stream of stored blocks; the checksum is Adler's. */
static void put_stored(data_bytes *out, const data_bytes *raw) {
    uint32_t a = 1, b = 0;
    data_bytes z = {0};
    data_put(&z, "\x78\x01", 2);
    for (size_t at = 0; at < raw->size;) {
        const size_t n = raw->size - at < 65535 ? raw->size - at : 65535;
        put_byte(&z, at + n == raw->size);
        data_put(&z, (uint8_t[]){n & 255, (uint8_t)(n >> 8), ~n & 255, (uint8_t)(~n >> 8)}, 4);
        data_put(&z, raw->data + at, n);
        at += n;
    }
    for (size_t i = 0; i < raw->size; i++) {
        a = (a + raw->data[i]) % 65521;
        b = (b + a) % 65521;
    }
    data_put_big_endian(&z, b << 16 | a);
    put_chunk(out, "IDAT", &z);
    data_free(&z);
}

void png_make(png_kind kind, int h, int w, const uint8_t *numbers, data_bytes *out) {
    const int row = w * (kind.type == PNG_COLOUR ? 3 : 1);
    data_bytes rows = {0}, colours = {0}, none = {0};
    data_put(out, "\x89PNG\r\n\x1a\n", 8);
    put_header(out, kind, h, w);
    data_put(&colours, kind.palette, 3 * (size_t)kind.colours);
    if (kind.type == PNG_PALETTE) put_chunk(out, "PLTE", &colours);
    for (int y = 0; y < h; y++) put_row(&rows, kind, row, numbers + (ptrdiff_t)y * row);
    put_stored(out, &rows);
    put_chunk(out, "IEND", &none);
    data_free(&rows);
    data_free(&colours);
}

void png_write(const char *folder, const char *name, png_kind kind, int h, int w, const uint8_t *numbers) {
    data_bytes b = {0};
    png_make(kind, h, w, numbers, &b);
    data_write(folder, name, &b);
    data_free(&b);
}

void png_write_plain(const char *folder, const char *name, int h, int w, int value) {
    uint8_t *numbers = test_alloc((size_t)h * (size_t)w);
    memset(numbers, value, (size_t)h * (size_t)w);
    png_write(folder, name, (png_kind){PNG_GREY, 8, NULL, 0}, h, w, numbers);
    free(numbers);
}

bool png_is_read(void) {
    char folder[DATA_PATH], path[2 * DATA_PATH];
    tips_image image;
    data_make_folder(folder);
    png_write_plain(folder, "plain.png", 1, 1, 0);
    snprintf(path, sizeof path, "%s/plain.png", folder);
    const tips_status status = tips__image_read(path, &image);
    if (status == TIPS_OK) tips__image_free(&image);
    data_remove_folder(folder);
    return status == TIPS_OK;
}
