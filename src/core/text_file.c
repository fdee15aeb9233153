/* Reading files whose size is not known before. */
#include "core/text_file.h"

#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const size_t most_bytes = (size_t)256 << 20;

static tips_status read_stream(const char *path, FILE *file, char **out, size_t *length) {
    size_t capacity = 65536;
    char *text;
    TIPS_TRY(tips__new(&text, capacity, "a file"));
    *length = 0;
    for (size_t got; (got = fread(text + *length, 1, capacity - 1 - *length, file)) > 0;) {
        *length += got;
        if (*length < capacity - 1) continue;
        char *longer = capacity < most_bytes ? tips__grow(text, capacity, 2 * capacity) : NULL;
        if (!longer) {
            tips__free(text);
            TIPS_FAIL(TIPS_MEMORY, "%s: is too large for the memory there is", path);
        }
        text = longer;
        capacity *= 2;
    }
    if (ferror(file)) {
        tips__free(text);
        TIPS_FAIL(TIPS_IO, "%s: cannot be read: %s", path, strerror(errno));
    }
    text[*length] = '\0';
    *out = text;
    return TIPS_OK;
}

tips_status tips__text_file_read(const char *path, char **out, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: cannot be read: %s", path, strerror(errno));
    const tips_status status = read_stream(path, file, out, length);
    fclose(file);
    return status;
}
