/* Where documentation and recipes are: beside an installed command, or in the folder that it was built from. */
#include "cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TIPS_DOC_DIR
#define TIPS_DOC_DIR "/usr/local/share/doc/tips"
#define TIPS_DATA_DIR "/usr/local/share/tips"
#define TIPS_BIN_TO_DOC "../share/doc/tips"
#define TIPS_BIN_TO_DATA "../share/tips"
#endif

enum { PLACES = 2 };

/* What texts say, and where that is: from the folder of the command, and as it was configured. */
static const struct place {
    const char *said, *from_bin, *configured;
} places[PLACES] = {{"docs/", TIPS_BIN_TO_DOC, TIPS_DOC_DIR}, {"recipes/", TIPS_BIN_TO_DATA, TIPS_DATA_DIR}};

/* The folder of the running command; "" where that cannot be found out. */
static void find_command(char out[PATH_MAX]) {
    const ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
    out[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash) *slash = '\0';
}

static const char *installed(int i) {
    static char found[PLACES][PATH_MAX];
    static bool is_known[PLACES];
    char command[PATH_MAX], path[3 * PATH_MAX];
    if (is_known[i]) return found[i];
    is_known[i] = true;
    find_command(command);
    const bool is_absolute = places[i].from_bin[0] == '/';
    snprintf(path, sizeof path, "%s%s%s/%s", is_absolute ? "" : command, is_absolute ? "" : "/", places[i].from_bin,
             places[i].said);
    char *real = realpath(path, NULL);
    if (real && strlen(real) < PATH_MAX) snprintf(found[i], sizeof found[i], "%.*s", PATH_MAX - 1, real);
    free(real);
    char *slash = strrchr(found[i], '/'); /* the texts name the last folder themselves */
    if (slash) *slash = '\0';
    return found[i];
}

static size_t add(char *out, size_t size, size_t at, const char *text, size_t length) {
    if (length > size - 1 - at) length = size - 1 - at;
    memcpy(out + at, text, length);
    return at + length;
}

void cli_locate(const char *text, bool configured, char *out, size_t size) {
    size_t at = 0;
    for (const char *c = text; *c && at + 1 < size; c++) {
        const bool begins = c == text || c[-1] == ' ' || c[-1] == '\'';
        for (int i = 0; begins && i < PLACES; i++) {
            const char *folder = configured ? places[i].configured : installed(i);
            if (strncmp(c, places[i].said, strlen(places[i].said)) != 0 || !*folder) continue;
            at = add(out, size, at, folder, strlen(folder));
            at = add(out, size, at, "/", 1);
        }
        at = add(out, size, at, c, 1);
    }
    out[at] = '\0';
}
