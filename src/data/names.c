/* Names in folders and in text files. */
#include "data/names.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/regular_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE_SIZE = 4096, MOST_NAMES = 1 << 28 };

tips_status tips__names_add(tips_names *list, const char *name) {
    if (list->count == list->room) {
        if (list->room >= MOST_NAMES) TIPS_FAIL(TIPS_RANGE, "more than %d names", list->room);
        const int room = list->room ? 2 * list->room : 64;
        char **rows = tips__grow(list->rows, (size_t)list->count * sizeof *rows, (size_t)room * sizeof *rows);
        if (!rows) TIPS_FAIL(TIPS_MEMORY, "out of memory for %d names", room);
        list->rows = rows;
        list->room = room;
    }
    char *copy = tips__strdup(name);
    if (!copy) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    list->rows[list->count++] = copy;
    return TIPS_OK;
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void tips__names_sort(tips_names *list) {
    if (list->count > 1) qsort(list->rows, (size_t)list->count, sizeof *list->rows, compare);
}

int tips__names_find(const tips_names *sorted, const char *name) {
    if (sorted->count == 0) return -1;
    char **found = bsearch(&name, sorted->rows, (size_t)sorted->count, sizeof *sorted->rows, compare);
    return found ? (int)(found - sorted->rows) : -1;
}

void tips__names_clear(tips_names *list) {
    for (int i = 0; i < list->count; i++) tips__free(list->rows[i]);
    tips__free(list->rows);
    *list = (tips_names){0};
}

bool tips__is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool tips__is_file(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool tips__is_file_in(const char *folder, const char *name) {
    char path[TIPS_PATH_SIZE];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < TIPS_PATH_SIZE && tips__is_file(path);
}

bool tips__is_folder_in(const char *folder, const char *name) {
    char path[TIPS_PATH_SIZE];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < TIPS_PATH_SIZE && tips__is_folder(path);
}

const char *tips__base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static tips_status add_entry(const char *folder, const struct dirent *entry, tips_names *files, tips_names *folders) {
    char path[TIPS_PATH_SIZE];
    struct stat info;
    if (entry->d_type == DT_REG) return files ? tips__names_add(files, entry->d_name) : TIPS_OK;
    if (entry->d_type == DT_DIR) return folders ? tips__names_add(folders, entry->d_name) : TIPS_OK;
    TIPS_TRY(tips__path_join(folder, entry->d_name, path));
    if (stat(path, &info) != 0) return TIPS_OK; /* a link to nowhere */
    if (S_ISREG(info.st_mode) && files) return tips__names_add(files, entry->d_name);
    if (S_ISDIR(info.st_mode) && folders) return tips__names_add(folders, entry->d_name);
    return TIPS_OK;
}

tips_status tips__list_folder(const char *folder, tips_names *files, tips_names *folders) {
    DIR *stream = opendir(folder);
    if (!stream) TIPS_FAIL(TIPS_IO, "%s: %s", folder, strerror(errno));
    tips_status status = TIPS_OK;
    for (struct dirent *entry; status == TIPS_OK && (entry = readdir(stream));)
        if (entry->d_name[0] != '.') status = add_entry(folder, entry, files, folders);
    closedir(stream);
    if (files) tips__names_sort(files);
    if (folders) tips__names_sort(folders);
    return status;
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static tips_status add_line(const char *path, char *line, tips_names *out) {
    size_t length = strlen(line);
    if (length == LINE_SIZE - 1) TIPS_FAIL(TIPS_FORMAT, "%s: a line of more than %d letters", path, LINE_SIZE - 2);
    while (length > 0 && is_blank(line[length - 1])) line[--length] = '\0';
    while (is_blank(*line)) line++;
    return *line ? tips__names_add(out, line) : TIPS_OK;
}

/* Editors put these bytes before the first letter. */
static tips_status skip_mark(const char *path, FILE *file) {
    unsigned char mark[3] = {0};
    const size_t count = fread(mark, 1, sizeof mark, file);
    if (count >= 2 && (memcmp(mark, "\xff\xfe", 2) == 0 || memcmp(mark, "\xfe\xff", 2) == 0))
        TIPS_FAIL(TIPS_FORMAT, "%s: is text in UTF-16; save it as UTF-8", path);
    if (count < sizeof mark || memcmp(mark, "\xef\xbb\xbf", sizeof mark) != 0) rewind(file);
    return TIPS_OK;
}

tips_status tips__read_lines(const char *path, tips_names *out) {
    char line[LINE_SIZE];
    TIPS_TRY(tips__check_regular(path));
    FILE *file = fopen(path, "r");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    tips_status status = skip_mark(path, file);
    while (status == TIPS_OK && fgets(line, sizeof line, file)) status = add_line(path, line, out);
    if (status == TIPS_OK && ferror(file)) status = tips__fail(TIPS_IO, "%s: cannot be read", path);
    fclose(file);
    return status;
}
