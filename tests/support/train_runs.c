/* What the tests of training share. */
#include "support/train_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/tips-train-XXXXXX";

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

int make_run_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

int remove_run_folder(void **state) {
    (void)state;
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

const char *inside(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

tips_train_config small_run(const char *name) {
    tips_train_config c;
    assert_int_equal(tips__options_defaults(tips__train_rows, &c), TIPS_OK);
    c.data = "shapes:size=16,train=110,test=20,classes=4";
    c.model.arch = "tiny";
    c.model.threads = 2;
    c.out = inside(name);
    c.epochs = 3;
    c.batch = 8;
    return c;
}

static char *read_all(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    char *text = calloc(1, 4 << 20);
    assert_non_null(text);
    *length = fread(text, 1, (4 << 20) - 1, file);
    fclose(file);
    return text;
}

static void assert_same_file(const char *run, const char *other, const char *name) {
    char a[512], b[512];
    size_t a_length, b_length;
    snprintf(a, sizeof a, "%s/%s/%s", folder, run, name);
    snprintf(b, sizeof b, "%s/%s/%s", folder, other, name);
    char *first = read_all(a, &a_length), *second = read_all(b, &b_length);
    if (a_length != b_length || memcmp(first, second, a_length) != 0) fail_msg("%s and %s differ", a, b);
    free(first);
    free(second);
}

char *log_without_time(const char *run) {
    char path[512];
    size_t length;
    snprintf(path, sizeof path, "%s/%s/log.jsonl", folder, run);
    char *log = read_all(path, &length), *at;
    while ((at = strstr(log, ",\"time\":{"))) {
        const char *rest = strchr(at, '}') + 1;
        memmove(at, rest, strlen(rest) + 1);
    }
    return log;
}

void assert_same_run(const char *run, const char *other) {
    char *a = log_without_time(run), *b = log_without_time(other);
    assert_string_equal(a, b);
    free(a);
    free(b);
    assert_same_file(run, other, "best.safetensors");
    assert_same_file(run, other, "last.safetensors");
}

tips_train_result run_to_end(const tips_train_config *config) {
    tips_train_result result;
    const tips_status status = tips__train_run(config, NULL, &result);
    if (status != TIPS_OK) fail_msg("%s", tips_last_error());
    return result;
}

bool count_down(void *context) { return --*(int *)context == 0; }
