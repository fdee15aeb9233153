/* Small datasets for tests, each written into a folder of its own, byte by byte and without the libraries that read it.
 */
#ifndef TIPS_TESTS_DATA_FILES_H
#define TIPS_TESTS_DATA_FILES_H

#include <stddef.h>
#include <stdint.h>

enum { DATA_PATH = 512 };

/* A growing run of bytes. */
typedef struct data_bytes {
    uint8_t *data;
    size_t size, room;
} data_bytes;

void data_put(data_bytes *b, const void *data, size_t size);
void data_put_big_endian(data_bytes *b, uint32_t value);
void data_free(data_bytes *b);
uint32_t data_crc_32(const uint8_t *data, size_t size);

/* A new folder below the temporary ones; `out` has DATA_PATH bytes. */
void data_make_folder(char *out);
void data_remove_folder(const char *folder);
/* folder/name, with the folders in between; and cutting a file. */
void data_write(const char *folder, const char *name, const data_bytes *b);
void data_write_text(const char *folder, const char *name, const char *text);
void data_truncate(const char *folder, const char *name, long size);
/* The same compressed with gzip (stored blocks). */
void data_write_gz(const char *folder, const char *name, const data_bytes *b);
/* A plain PPM of one colour. */
void data_write_picture(const char *folder, const char *name, int h, int w, int red, int green, int blue);

/* IDX: `count` pictures of h x w whose bytes are all 10 * label + split, labels i % classes. */
void data_idx_pictures(data_bytes *b, int count, int h, int w, int classes, int base);
void data_idx_labels(data_bytes *b, int count, int classes);
/* CIFAR: records of `label_bytes` labels and planes filled with label, label + 1, label + 2. */
void data_cifar(data_bytes *b, int count, int classes, int label_bytes);
/* An entry of a tar archive; data_tar_end closes it. */
void data_tar_entry(data_bytes *tar, const char *name, const data_bytes *b);
void data_tar_end(data_bytes *tar);
/* MATLAB 5: the header, and a row of doubles. */
void data_mat_header(data_bytes *b);
void data_mat_row(data_bytes *b, const char *name, const int *values, int count);
/* `row` as a compressed element: a zlib stream of one stored block, which ends with its checksum. */
void data_mat_pack(data_bytes *b, const data_bytes *row);

/* A picture in colour (h, w, 3) as a PPM file. */
void data_write_rgb(const char *folder, const char *name, const uint8_t *rgb, int h, int w);

#endif
