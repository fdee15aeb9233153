/* Names from files and the command line on their way to a terminal. */
#include "cli.h"

#include "core/visible.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 8, SHOWN_SIZE = 1024 };

const char *cli_shown(const char *name) {
    static char buffers[AT_ONCE][SHOWN_SIZE];
    static int next;
    if (!name || tips__is_visible(name)) return name;
    char *out = buffers[next++ % AT_ONCE];
    tips__visible(name, out, SHOWN_SIZE);
    return out;
}

void cli_put_shown(const char *text, size_t length, FILE *file) {
    char *copy = strndup(text, length);
    const size_t size = copy ? tips__visible(copy, NULL, 0) + 1 : 0;
    char *shown = size ? malloc(size) : NULL;
    if (shown) {
        tips__visible(copy, shown, size);
        fputs(shown, file);
    }
    free(shown);
    free(copy);
}
