/* Unpacking archives: files come out as they went in, and nothing leads out of the folder. */
#include "support/compare.h"
#include "support/data_files.h"

#include "data/archive_read.h"
#include "data/names.h"

#include <stdio.h>
#include <string.h>

static char folder[DATA_PATH];

static int make_folder(void **state) {
    (void)state;
    data_make_folder(folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    data_remove_folder(folder);
    return 0;
}

/* Writes an archive with one entry and unpacks it. */
static tips_status unpack(const char *name, const char *text) {
    char archive[2 * DATA_PATH], out[2 * DATA_PATH];
    data_bytes tar = {0}, b = {0};
    data_put(&b, text, strlen(text));
    data_tar_entry(&tar, name, &b);
    data_tar_end(&tar);
    data_write(folder, "set.tar", &tar);
    data_free(&tar);
    data_free(&b);
    snprintf(archive, sizeof archive, "%s/set.tar", folder);
    snprintf(out, sizeof out, "%s/out/deep", folder);
    return tips__archive_unpack(archive, out);
}

static void test_unpack(void **state) {
    char path[2 * DATA_PATH];
    tips_names lines = {0};
    (void)state;
    const tips_status status = unpack("set/train/a..b/1.txt", "hello\n");
    if (status == TIPS_UNSUPPORTED) {
        print_message("skipped: %s\n", tips_last_error());
        skip();
    }
    assert_int_equal(status, TIPS_OK);
    snprintf(path, sizeof path, "%s/out/deep/set/train/a..b/1.txt", folder);
    assert_int_equal(tips__read_lines(path, &lines), TIPS_OK);
    assert_string_equal(lines.rows[0], "hello");
    tips__names_clear(&lines);
}

static void test_refusals(void **state) {
    static const char *const names[] = {"../evil.txt", "set/../../evil.txt", "set/..", "/tmp/tips-evil.txt"};
    (void)state;
    if (unpack("fine.txt", "fine") == TIPS_UNSUPPORTED) skip();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(unpack(names[i], "evil"), TIPS_FORMAT);
        assert_non_null(strstr(tips_last_error(), "leads out"));
    }
    assert_false(tips__is_file_in(folder, "evil.txt"));
    assert_false(tips__is_file_in(folder, "out/evil.txt"));
    data_write_text(folder, "set.tar", "this is not an archive, whatever its name");
    char archive[2 * DATA_PATH];
    snprintf(archive, sizeof archive, "%s/set.tar", folder);
    assert_int_equal(tips__archive_unpack(archive, folder), TIPS_FORMAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_unpack, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_refusals, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
