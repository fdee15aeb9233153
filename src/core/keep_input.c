/* Files are told apart by device and number, folders by where a file really lies. */
#include "core/keep_input.h"

#include "core/fail.h"
#include "core/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool tips__same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What commands read out of folders: pictures, arrays, archives, models. */
static bool is_read_from_folders(const char *path) {
    static const char *const endings[] = {".png", ".jpg", ".jpeg", ".ppm", ".pgm",         ".npy",  ".gz",
                                          ".bin", ".mat", ".tar",  ".zip", ".safetensors", ".onnx", NULL};
    for (const char *const *ending = endings; *ending; ending++)
        if (tips__path_ends(path, *ending)) return true;
    return false;
}

bool tips__lies_in(const char *folder, const char *file) {
    char *inner = realpath(file, NULL), *outer = realpath(folder, NULL);
    const size_t length = outer ? strlen(outer) : 0;
    const bool lies = inner && outer && strncmp(inner, outer, length) == 0 && inner[length] == '/';
    free(inner);
    free(outer);
    return lies;
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* "idx:folder" is the folder, and so is "voc:train=trainval,folder", unless there is something of the whole name. */
static const char *path_of(const char *input) {
    struct stat info;
    const char *colon = strchr(input, ':');
    if (!colon || stat(input, &info) == 0) return input;
    for (const char *path = colon + 1;; path++) {
        if (stat(path, &info) == 0) return path;
        path = strchr(path, ',');
        if (!path) return colon + 1;
    }
}

tips_status tips__keep_input(const char *input, const char *output) {
    if (!input || !*input || !output || !*output) return TIPS_OK;
    const char *path = path_of(input);
    if (is_folder(path) && is_read_from_folders(output) && tips__lies_in(path, output))
        TIPS_FAIL(TIPS_INVALID, "%s lies in %s, which is read; write to another file", output, path);
    if (!is_folder(path) && tips__same_file(path, output))
        TIPS_FAIL(TIPS_INVALID, "%s is %s itself, which is read; write to another file", output, path);
    return TIPS_OK;
}

tips_status tips__keep_inputs(const char *inputs, const char *output) {
    char one[TIPS_PATH_SIZE];
    for (const char *at = inputs; at && *at;) {
        const size_t length = strcspn(at, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, at);
        TIPS_TRY(tips__keep_input(one, output));
        at += length + (at[length] == ',');
    }
    return TIPS_OK;
}
