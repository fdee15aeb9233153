/* What a zip archive holds, by the names in its central directory, or where that is cut off by its first entry. */
#include "exchange/foreign_parts.h"

#include "core/memory.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_TAIL = 4 << 20, LOCAL_SIZE = 30, ENTRY_SIZE = 46, NAME_SIZE = 512 };

typedef struct finding {
    bool has_pickle, has_code, has_keras, has_arrays, has_program;
} finding;

static bool ends_with(const char *name, const char *ending) {
    const size_t length = strlen(name), tail = strlen(ending);
    return length >= tail && strcmp(name + length - tail, ending) == 0;
}

static void look_at(finding *f, const unsigned char *text, size_t length) {
    char name[NAME_SIZE];
    if (length >= sizeof name) return;
    memcpy(name, text, length);
    name[length] = '\0';
    f->has_pickle |= ends_with(name, "data.pkl");
    f->has_code |= ends_with(name, "/constants.pkl") || strstr(name, "/code/") != NULL;
    f->has_keras |= strcmp(name, "model.weights.h5") == 0;
    f->has_arrays |= ends_with(name, ".npy");
    f->has_program |= ends_with(name, "serialized_exported_program.json") || ends_with(name, "archive_format");
}

static size_t little(const unsigned char *bytes) { return (size_t)bytes[0] | (size_t)bytes[1] << 8; }

static void look_through(finding *f, const unsigned char *tail, size_t size) {
    for (size_t at = 0; at + ENTRY_SIZE < size; at++) {
        if (memcmp(tail + at, "PK\1\2", 4) != 0) continue;
        const size_t length = little(tail + at + 28);
        if (length <= size - at - ENTRY_SIZE) look_at(f, tail + at + ENTRY_SIZE, length);
    }
}

static void look_at_first(finding *f, FILE *file) {
    unsigned char start[LOCAL_SIZE + NAME_SIZE];
    rewind(file);
    const size_t size = fread(start, 1, sizeof start, file);
    if (size <= LOCAL_SIZE) return;
    const size_t length = little(start + 26);
    if (length <= size - LOCAL_SIZE) look_at(f, start + LOCAL_SIZE, length);
}

static void look_at_tail(finding *f, FILE *file) {
    if (fseek(file, 0, SEEK_END) != 0) return;
    const long end = ftell(file), size = end < MOST_TAIL ? end : MOST_TAIL;
    unsigned char *tail = size > 0 ? tips__alloc((size_t)size) : NULL;
    if (!tail) return;
    if (fseek(file, end - size, SEEK_SET) == 0) look_through(f, tail, fread(tail, 1, (size_t)size, file));
    tips__free(tail);
}

foreign_kind tips__foreign_zip(FILE *file) {
    finding f = {0};
    look_at_first(&f, file);
    look_at_tail(&f, file);
    if (f.has_program) return FOREIGN_TORCH_EXPORT;
    if (f.has_code) return FOREIGN_TORCHSCRIPT;
    if (f.has_pickle) return FOREIGN_TORCH;
    if (f.has_keras) return FOREIGN_KERAS;
    return f.has_arrays ? FOREIGN_NUMPY : FOREIGN_ZIP;
}
