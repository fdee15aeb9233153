/* What the tests of training share. */
#include "support/train_runs.h"

#include "support/temporary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int make_run_folder(void **state) {
    (void)state;
    return path_in_temporary("") ? 0 : -1;
}

int remove_run_folder(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

const char *inside(const char *name) { return path_in_temporary(name); }

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

static void assert_same_file(const char *run, const char *other, const char *name) {
    char a[TEMPORARY_PATH], b[TEMPORARY_PATH];
    size_t a_length, b_length;
    snprintf(a, sizeof a, "%s/%s", run, name);
    snprintf(b, sizeof b, "%s/%s", other, name);
    unsigned char *first = read_file(inside(a), &a_length), *second = read_file(inside(b), &b_length);
    if (a_length != b_length || memcmp(first, second, a_length) != 0) fail_msg("%s and %s differ", a, b);
    free(first);
    free(second);
}

char *log_without_time(const char *run) {
    char path[TEMPORARY_PATH];
    size_t length;
    snprintf(path, sizeof path, "%s/log.jsonl", run);
    char *log = (char *)read_file(inside(path), &length), *at;
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
