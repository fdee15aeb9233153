/* Writers of small datasets. */
#include "support/data_files.h"

#include "support/compare.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void data_put(data_bytes *b, const void *data, size_t size) {
    if (b->size + size > b->room) {
        b->room = 2 * (b->size + size);
        b->data = realloc(b->data, b->room);
        assert_non_null(b->data);
    }
    if (size > 0) memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_byte(data_bytes *b, int value) { data_put(b, &(uint8_t){(uint8_t)value}, 1); }

static void put_little_endian(data_bytes *b, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) put_byte(b, (int)(value >> 8 * i & 255));
}

void data_put_big_endian(data_bytes *b, uint32_t value) {
    for (int i = 3; i >= 0; i--) put_byte(b, (int)(value >> 8 * i & 255));
}

void data_free(data_bytes *b) {
    free(b->data);
    *b = (data_bytes){0};
}

void data_make_folder(char *out) {
    snprintf(out, DATA_PATH, "/tmp/tips-data-XXXXXX");
    assert_non_null(mkdtemp(out));
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

void data_remove_folder(const char *folder) { (void)!nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

void data_write(const char *folder, const char *name, const data_bytes *b) {
    char path[2 * DATA_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *at = path + strlen(folder) + 1; *at; at++) {
        if (*at != '/') continue;
        *at = '\0';
        mkdir(path, 0777);
        *at = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (b->size > 0) assert_int_equal(fwrite(b->data, 1, b->size, file), b->size);
    fclose(file);
}

void data_write_text(const char *folder, const char *name, const char *text) {
    data_bytes b = {0};
    data_put(&b, text, strlen(text));
    data_write(folder, name, &b);
    data_free(&b);
}

void data_truncate(const char *folder, const char *name, long size) {
    char path[2 * DATA_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(truncate(path, size), 0);
}

uint32_t data_crc_32(const uint8_t *data, size_t size) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

void data_write_gz(const char *folder, const char *name, const data_bytes *b) {
    data_bytes gz = {0};
    data_put(&gz, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
    for (size_t at = 0; at < b->size || at == 0;) {
        const size_t n = b->size - at < 65535 ? b->size - at : 65535;
        put_byte(&gz, at + n == b->size);
        put_little_endian(&gz, (uint32_t)n, 2);
        put_little_endian(&gz, ~(uint32_t)n, 2);
        data_put(&gz, b->data + at, n);
        at += n;
        if (n == 0) break;
    }
    put_little_endian(&gz, data_crc_32(b->data, b->size), 4);
    put_little_endian(&gz, (uint32_t)b->size, 4);
    data_write(folder, name, &gz);
    data_free(&gz);
}

void data_write_picture(const char *folder, const char *name, int h, int w, int red, int green, int blue) {
    data_bytes b = {0};
    char head[64];
    snprintf(head, sizeof head, "P6 %d %d 255\n", w, h);
    data_put(&b, head, strlen(head));
    for (int i = 0; i < h * w; i++) {
        put_byte(&b, red);
        put_byte(&b, green);
        put_byte(&b, blue);
    }
    data_write(folder, name, &b);
    data_free(&b);
}

void data_idx_pictures(data_bytes *b, int count, int h, int w, int classes, int base) {
    data_put_big_endian(b, 0x803);
    data_put_big_endian(b, (uint32_t)count);
    data_put_big_endian(b, (uint32_t)h);
    data_put_big_endian(b, (uint32_t)w);
    for (int i = 0; i < count * h * w; i++) put_byte(b, 10 * (i / (h * w) % classes) + base);
}

void data_idx_labels(data_bytes *b, int count, int classes) {
    data_put_big_endian(b, 0x801);
    data_put_big_endian(b, (uint32_t)count);
    for (int i = 0; i < count; i++) put_byte(b, i % classes);
}

void data_cifar(data_bytes *b, int count, int classes, int label_bytes) {
    for (int i = 0; i < count; i++) {
        const int label = i % classes;
        if (label_bytes == 2) put_byte(b, label / 5);
        put_byte(b, label);
        for (int k = 0; k < 3 * 1024; k++) put_byte(b, label + k / 1024);
    }
}

void data_tar_entry(data_bytes *tar, const char *name, const data_bytes *b) {
    char head[512] = {0};
    unsigned sum = 0;
    snprintf(head, 100, "%s", name);
    strcpy(head + 100, "0000644");
    strcpy(head + 108, "0000000");
    strcpy(head + 116, "0000000");
    snprintf(head + 124, 12, "%011o", (unsigned)b->size);
    strcpy(head + 136, "00000000000");
    memset(head + 148, ' ', 8);
    head[156] = '0';
    memcpy(head + 257, "ustar\00000", 8);
    for (int i = 0; i < 512; i++) sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    data_put(tar, head, sizeof head);
    data_put(tar, b->data, b->size);
    while (tar->size % 512) put_byte(tar, 0);
}

void data_tar_end(data_bytes *tar) {
    const char zeros[1024] = {0};
    data_put(tar, zeros, sizeof zeros);
}

void data_mat_header(data_bytes *b) {
    char text[124];
    memset(text, ' ', sizeof text);
    memcpy(text, "MATLAB 5.0 MAT-file", 19);
    memset(text + 116, 0, 8);
    data_put(b, text, sizeof text);
    put_little_endian(b, 0x0100, 2);
    data_put(b, "IM", 2);
}

/* The tag of a data element. */
static void put_tag(data_bytes *b, int type, size_t size) {
    put_little_endian(b, (uint32_t)type, 4);
    put_little_endian(b, (uint32_t)size, 4);
}

void data_mat_row(data_bytes *b, const char *name, const int *values, int count) {
    const size_t length = strlen(name), padded = (length + 7) / 8 * 8, bytes = 8 * (size_t)count;
    put_tag(b, 14, 16 + 16 + 8 + padded + 8 + bytes);
    put_tag(b, 6, 8); /* flags: class double */
    put_little_endian(b, 6, 4);
    put_little_endian(b, 0, 4);
    put_tag(b, 5, 8);
    put_little_endian(b, 1, 4);
    put_little_endian(b, (uint32_t)count, 4);
    put_tag(b, 1, length);
    data_put(b, name, length);
    for (size_t i = length; i < padded; i++) put_byte(b, 0);
    put_tag(b, 9, bytes);
    for (int i = 0; i < count; i++) data_put(b, &(double){values[i]}, 8);
}

void data_mat_pack(data_bytes *b, const data_bytes *row) {
    uint32_t low = 1, high = 0;
    put_tag(b, 15, 2 + 5 + row->size + 4);
    data_put(b, "\x78\x01\x01", 3);
    put_little_endian(b, (uint32_t)row->size, 2);
    put_little_endian(b, ~(uint32_t)row->size & 0xffff, 2);
    data_put(b, row->data, row->size);
    for (size_t i = 0; i < row->size; i++) {
        low = (low + row->data[i]) % 65521;
        high = (high + low) % 65521;
    }
    data_put_big_endian(b, high << 16 | low);
}

void data_write_rgb(const char *folder, const char *name, const uint8_t *rgb, int h, int w) {
    char head[32];
    data_bytes b = {0};
    snprintf(head, sizeof head, "P6\n%d %d\n255\n", w, h);
    data_put(&b, head, strlen(head));
    data_put(&b, rgb, (size_t)h * (size_t)w * 3);
    data_write(folder, name, &b);
    data_free(&b);
}
