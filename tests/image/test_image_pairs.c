/* Pictures of many kinds against what Pillow reads from them (tests/golden/make_pictures.py), and cut at every length.
 */
#include "image/image_read.h"

#include "support/compare.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATH_SIZE = 512, MOST_BYTES = 1 << 16, LEAST_FILES = 38 };

static bool ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

static bool is_expectation(const char *name) { return ends_with(name, ".ppm") || ends_with(name, ".pgm"); }

static void read_expected(const char *path, tips_image *out) {
    char wanted[PATH_SIZE + 512];
    snprintf(wanted, sizeof wanted, "%s.ppm", path);
    if (access(wanted, R_OK) != 0) snprintf(wanted, sizeof wanted, "%s.pgm", path);
    expect_ok(tips__image_read(wanted, out));
}

static void expect_same(const char *path) {
    tips_image got, want;
    const tips_status status = tips__image_read(path, &got);
    if (status == TIPS_UNSUPPORTED) return;
    if (status != TIPS_OK) fail_msg("%s", tips_last_error());
    read_expected(path, &want);
    if (got.h != want.h || got.w != want.w || got.c != want.c)
        fail_msg("%s: %dx%dx%d, not %dx%dx%d", path, got.h, got.w, got.c, want.h, want.w, want.c);
    for (int i = 0; i < got.h * got.w * got.c; i++)
        if (got.pixels[i] != want.pixels[i])
            fail_msg("%s: value %d is %d, not %d", path, i, got.pixels[i], want.pixels[i]);
    tips__image_free(&got);
    tips__image_free(&want);
}

static int for_each(void (*check)(const char *path)) {
    const char *source = getenv("SOURCE_DIR");
    char folder[PATH_SIZE], path[PATH_SIZE + 256];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/tests/golden/pictures", source ? source : ".");
    DIR *stream = opendir(folder);
    assert_non_null(stream);
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (entry->d_name[0] == '.' || is_expectation(entry->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check(path);
        count++;
    }
    closedir(stream);
    return count;
}

static void test_same(void **state) {
    (void)state;
    assert_true(for_each(expect_same) >= LEAST_FILES);
}

static char scratch[64];
static int descriptor;

static tips_status read_bytes(const unsigned char *bytes, size_t size) {
    tips_image image;
    assert_int_equal(ftruncate(descriptor, 0), 0);
    assert_int_equal(pwrite(descriptor, bytes, size, 0), size);
    const tips_status status = tips__image_read(scratch, &image);
    if (status == TIPS_OK) tips__image_free(&image);
    else assert_non_null(strstr(tips_last_error(), scratch));
    return status;
}

/* Ends that a reader may do without: a trailer, the frames after the first. */
static bool has_more_pictures(const char *path) { return strstr(path, "frames") || strstr(path, "pages"); }

static void break_it(const char *path) {
    static unsigned char bytes[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const size_t step = size / 400 + 1;
    for (size_t cut = 0; cut + 24 < size; cut += step)
        if (read_bytes(bytes, cut) == TIPS_OK && !has_more_pictures(path))
            fail_msg("%s: cut to %zu bytes is read", path, cut);
    for (size_t at = 0; at < size; at += step) {
        bytes[at] ^= 0xff;
        (void)!read_bytes(bytes, size);
        bytes[at] ^= 0xff;
    }
}

static void test_broken(void **state) {
    (void)state;
    descriptor = memfd_create("broken", 0);
    assert_true(descriptor >= 0);
    snprintf(scratch, sizeof scratch, "/proc/self/fd/%d", descriptor);
    (void)for_each(break_it);
    close(descriptor);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same), cmocka_unit_test(test_broken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
