/* Temporary folders and files of tests. */
#include "support/temporary.h"

#include "support/compare.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFERS = 8 };

static char folder[64];

const char *path_in_temporary(const char *name) {
    static char paths[BUFFERS][TEMPORARY_PATH];
    static int next;
    if (!folder[0]) {
        const char *root = getenv("TMPDIR");
        snprintf(folder, sizeof folder, "%s/tips-test-XXXXXX", root && strlen(root) < 32 ? root : "/tmp");
        assert_non_null(mkdtemp(folder));
    }
    char *path = paths[next++ % BUFFERS];
    snprintf(path, TEMPORARY_PATH, "%s/%s", folder, name);
    return path;
}

int count_temporary(void) {
    DIR *directory = folder[0] ? opendir(folder) : NULL;
    int count = 0;
    if (!directory) return 0;
    for (struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(directory);
    return count;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    return remove(path);
}

void remove_temporary(void) {
    if (folder[0]) nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    folder[0] = '\0';
}

void write_file(const char *path, const void *data, size_t bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(bytes ? fwrite(data, 1, bytes, file) : 0, bytes);
    assert_int_equal(fclose(file), 0);
}

unsigned char *read_file(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    data[*bytes] = '\0';
    fclose(file);
    return data;
}
