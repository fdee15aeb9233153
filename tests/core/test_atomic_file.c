/* Writing files: whole or not at all, whatever stops the writer. */
#include "core/atomic_file.h"
#include "core/memory.h"
#include "support/compare.h"
#include "support/temporary.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void expect_content(const char *path, const char *text) {
    size_t bytes;
    unsigned char *data = read_file(path, &bytes);
    assert_int_equal(bytes, strlen(text));
    assert_memory_equal(data, text, bytes);
    free(data);
}

static tips_status save_text(const char *path, const char *text) { return tips__atomic_save(path, text, strlen(text)); }

static void test_replaces(void **state) {
    const char *path = path_in_temporary("file");
    struct stat info;
    (void)state;
    test_case("replaces");
    expect_ok(save_text(path, "one"));
    expect_content(path, "one");
    assert_int_equal(chmod(path, 0640), 0);
    expect_ok(save_text(path, "second"));
    expect_content(path, "second");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    expect_ok(save_text(path, ""));
    expect_content(path, "");
    assert_int_equal(count_temporary(), 1);
    remove_temporary();
}

static void test_relative_and_links(void **state) {
    char before[4096];
    (void)state;
    test_case("relative paths and links");
    assert_non_null(getcwd(before, sizeof before));
    const char *target = path_in_temporary("target"), *link = path_in_temporary("link");
    struct stat info;
    expect_ok(save_text(target, "one"));
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(chdir(path_in_temporary(".")), 0);
    expect_ok(save_text("here", "two"));
    expect_content("here", "two");
    expect_ok(save_text("link", "three"));
    assert_int_equal(chdir(before), 0);
    expect_content(target, "three");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(count_temporary(), 3);
    remove_temporary();
}

static void test_abandon(void **state) {
    const char *path = path_in_temporary("file");
    tips_atomic_file *first, *second;
    (void)state;
    test_case("two writers, one gives up");
    expect_ok(save_text(path, "old"));
    expect_ok(tips__atomic_open(path, &first));
    expect_ok(tips__atomic_open(path, &second));
    fprintf(tips__atomic_stream(first), "number %d", 1);
    expect_ok(tips__atomic_write(second, "2", 1));
    assert_int_equal(count_temporary(), 3);
    tips__atomic_abandon(second);
    tips__atomic_abandon(NULL);
    expect_content(path, "old");
    expect_ok(tips__atomic_commit(first));
    expect_content(path, "number 1");
    assert_int_equal(count_temporary(), 1);
    remove_temporary();
}

static void expect_error(const char *path, const char *reason) {
    test_case("%s", path);
    assert_int_equal(save_text(path, "x"), TIPS_IO);
    if (!strstr(tips_last_error(), reason)) fail_case("'%s' does not say '%s'", tips_last_error(), reason);
}

static void test_errors(void **state) {
    const char *path = path_in_temporary("file");
    (void)state;
    expect_error(path_in_temporary("absent/file"), "absent/file");
    expect_error(path_in_temporary("."), "not a regular file");
    expect_error("", "not the name of a file");
    expect_error("/dev/null", "not a regular file");
    expect_error(path_in_temporary("absent/"), "not the name of a file");
    if (geteuid() != 0) { /* root may write everywhere */
        expect_ok(save_text(path, "old"));
        assert_int_equal(chmod(path, 0400), 0);
        expect_error(path, "ermission");
        assert_int_equal(chmod(path_in_temporary("."), 0500), 0);
        assert_int_equal(chmod(path, 0600), 0);
        expect_error(path, "ermission");
        assert_int_equal(chmod(path_in_temporary("."), 0700), 0);
        expect_content(path, "old");
        assert_int_equal(count_temporary(), 1);
    }
    remove_temporary();
}

/* A limit on the size of files acts like a full disk: write fails in the middle. */
static void test_full_disk(void **state) {
    enum { BYTES = 1 << 20 };
    const char *path = path_in_temporary("file");
    const struct rlimit small = {.rlim_cur = BYTES / 2, .rlim_max = RLIM_INFINITY};
    struct rlimit before;
    char *data = test_alloc(BYTES);
    (void)state;
    test_case("a full disk");
    memset(data, 'x', BYTES);
    expect_ok(save_text(path, "old"));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const tips_status status = tips__atomic_save(path, data, BYTES);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, TIPS_IO);
    if (strncmp(tips_last_error(), path, strlen(path)) != 0) fail_case("'%s' names no path", tips_last_error());
    expect_content(path, "old");
    assert_int_equal(count_temporary(), 1);
    free(data);
    remove_temporary();
}

/* A full device shows when the stream is flushed, at commit. */
static void test_stream_error(void **state) {
    const char *path = path_in_temporary("file");
    tips_atomic_file *file;
    (void)state;
    test_case("a stream with an error");
    if (access("/dev/full", W_OK) != 0) skip();
    expect_ok(save_text(path, "old"));
    expect_ok(tips__atomic_open(path, &file));
    FILE *full = fopen("/dev/full", "wb");
    assert_non_null(full);
    assert_true(dup2(fileno(full), fileno(tips__atomic_stream(file))) >= 0);
    fclose(full);
    expect_ok(tips__atomic_write(file, "new", 3));
    assert_int_equal(tips__atomic_commit(file), TIPS_IO);
    assert_non_null(strstr(tips_last_error(), "No space left"));
    expect_content(path, "old");
    assert_int_equal(count_temporary(), 1);
    remove_temporary();
}

/* Writes 'a', 'b', ... over and over until it is killed. */
static void write_for_ever(const char *path, size_t bytes) {
    char *data = malloc(bytes);
    for (int i = 0;; i++) {
        memset(data, 'a' + i % 26, bytes);
        if (tips__atomic_save(path, data, bytes) != TIPS_OK) _exit(1);
    }
}

static bool is_whole(const char *path, size_t bytes) {
    size_t got;
    unsigned char *data = read_file(path, &got);
    bool whole = got == bytes;
    for (size_t i = 0; whole && i < bytes; i++) whole = data[i] == data[0];
    free(data);
    return whole;
}

static void test_killed(void **state) {
    enum { ROUNDS = 20, BYTES = 300000 };
    const char *path = path_in_temporary("file");
    (void)state;
    char *data = test_alloc(BYTES);
    memset(data, 'z', BYTES);
    expect_ok(tips__atomic_save(path, data, BYTES));
    for (int i = 0; i < ROUNDS; i++) {
        test_case("killed, round %d", i);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) write_for_ever(path, BYTES);
        const struct timespec pause = {.tv_nsec = 1000000 + 1370000 * i};
        nanosleep(&pause, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        if (!is_whole(path, BYTES)) fail_case("half a file");
        assert_in_range(count_temporary(), 1, 2);
    }
    expect_ok(tips__atomic_save(path, data, BYTES)); /* takes over what the dead left behind */
    assert_int_equal(count_temporary(), 1);
    free(data);
    remove_temporary();
}

static void test_out_of_memory(void **state) {
    const char *path = path_in_temporary("file");
    tips_status status = TIPS_MEMORY;
    (void)state;
    for (uint64_t n = 1; status != TIPS_OK; n++) {
        tips__alloc_fail_at(n);
        status = save_text(path, "x");
        tips__alloc_fail_at(0);
        assert_true(status == TIPS_OK || status == TIPS_MEMORY);
    }
    assert_int_equal(count_temporary(), 1);
    remove_temporary();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaces), cmocka_unit_test(test_relative_and_links), cmocka_unit_test(test_abandon),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_full_disk),          cmocka_unit_test(test_stream_error),
        cmocka_unit_test(test_killed),   cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
