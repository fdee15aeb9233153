/* Archives by libarchive. */
#include "data/archive_read.h"

#include "core/fail.h"

#ifdef TIPS_HAVE_ARCHIVE
#include "core/memory.h"
#include "data/names.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <string.h>

enum { BLOCK = 1 << 16 };

static tips_status broken(const char *path, struct archive *a) {
    const char *text = archive_error_string(a);
    TIPS_FAIL(TIPS_FORMAT, "%s: %s", path, text ? text : "not an archive that can be read");
}

/* Calls `take` for every entry. */
typedef tips_status entry_function(void *context, const char *path, struct archive *a, struct archive_entry *entry);

static tips_status walk(const char *path, struct archive *a, entry_function *take, void *context) {
    struct archive_entry *entry;
    if (archive_read_open_filename(a, path, BLOCK) != ARCHIVE_OK) return broken(path, a);
    for (;;) {
        const int code = archive_read_next_header(a, &entry);
        if (code == ARCHIVE_EOF) return TIPS_OK;
        if (code != ARCHIVE_OK && code != ARCHIVE_WARN) return broken(path, a);
        TIPS_TRY(take(context, path, a, entry));
    }
}

static tips_status visit(const char *path, entry_function *take, void *context) {
    struct archive *a = archive_read_new();
    if (!a) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory", path);
    archive_read_support_filter_all(a);
    archive_read_support_format_tar(a);
    archive_read_support_format_zip(a);
    const tips_status status = walk(path, a, take, context);
    archive_read_free(a);
    return status;
}

typedef struct wanted {
    tips_archive_part *parts;
    int count;
    size_t most;
} wanted;

static tips_status read_entry(const char *path, struct archive *a, struct archive_entry *entry, size_t most,
                              tips_archive_part *part) {
    size_t room = BLOCK;
    if (archive_entry_size_is_set(entry) && (uint64_t)archive_entry_size(entry) > most)
        TIPS_FAIL(TIPS_FORMAT, "%s: %s has %lld bytes, more than %zu", path, part->name,
                  (long long)archive_entry_size(entry), most);
    TIPS_TRY(tips__new(&part->bytes, room, "an entry of an archive"));
    for (;;) {
        const la_ssize_t n = archive_read_data(a, part->bytes + part->size, room - part->size);
        if (n < 0) return broken(path, a);
        if (n == 0) return TIPS_OK;
        part->size += (size_t)n;
        if (part->size > most) TIPS_FAIL(TIPS_FORMAT, "%s: %s has more than %zu bytes", path, part->name, most);
        if (part->size < room) continue;
        uint8_t *larger = tips__grow(part->bytes, part->size, 2 * room);
        if (!larger) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory for %s", path, part->name);
        part->bytes = larger;
        room *= 2;
    }
}

static tips_status take_wanted(void *context, const char *path, struct archive *a, struct archive_entry *entry) {
    const wanted *w = context;
    const char *name = archive_entry_pathname(entry);
    if (!name || archive_entry_filetype(entry) != AE_IFREG) return TIPS_OK;
    for (int i = 0; i < w->count; i++)
        if (!w->parts[i].bytes && strcmp(tips__base_name(name), w->parts[i].name) == 0)
            return read_entry(path, a, entry, w->most, &w->parts[i]);
    return TIPS_OK;
}

tips_status tips__archive_read(const char *path, size_t most, tips_archive_part *parts, int count) {
    wanted w = {parts, count, most};
    return visit(path, take_wanted, &w);
}

/* The writer, and where it writes. */
typedef struct target {
    struct archive *disk;
    const char *folder;
} target;

static tips_status copy_data(const char *path, struct archive *from, struct archive *to) {
    const void *bytes;
    size_t size;
    la_int64_t offset;
    for (;;) {
        const int code = archive_read_data_block(from, &bytes, &size, &offset);
        if (code == ARCHIVE_EOF) return TIPS_OK;
        if (code != ARCHIVE_OK) return broken(path, from);
        if (archive_write_data_block(to, bytes, size, offset) < ARCHIVE_OK)
            TIPS_FAIL(TIPS_IO, "%s: unpacking failed: %s", path, archive_error_string(to));
    }
}

/* Folders and plain files only: datasets need nothing else. */
static tips_status unpack_entry(void *context, const char *path, struct archive *a, struct archive_entry *entry) {
    const target *t = context;
    const char *name = archive_entry_pathname(entry);
    char full[TIPS_PATH_SIZE];
    const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
    if (!name || archive_entry_hardlink(entry) || (!is_folder && archive_entry_filetype(entry) != AE_IFREG))
        return TIPS_OK;
    if (tips__leads_out(name))
        TIPS_FAIL(TIPS_FORMAT, "%s: refused, as the entry '%s' leads out of the folder", path, name);
    TIPS_TRY(tips__path_join(t->folder, name, full));
    archive_entry_set_pathname(entry, full);
    archive_entry_set_perm(entry, is_folder ? 0755 : 0644);
    if (archive_write_header(t->disk, entry) < ARCHIVE_OK)
        TIPS_FAIL(TIPS_IO, "%s: %s", full, archive_error_string(t->disk));
    if (!is_folder) TIPS_TRY(copy_data(path, a, t->disk));
    if (archive_write_finish_entry(t->disk) < ARCHIVE_OK)
        TIPS_FAIL(TIPS_IO, "%s: %s", full, archive_error_string(t->disk));
    return TIPS_OK;
}

tips_status tips__archive_unpack(const char *path, const char *folder) {
    target t = {archive_write_disk_new(), folder};
    if (!t.disk) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory", path);
    archive_write_disk_set_options(t.disk, ARCHIVE_EXTRACT_SECURE_SYMLINKS);
    const tips_status status = visit(path, unpack_entry, &t);
    archive_write_free(t.disk);
    return status;
}

#else

tips_status tips__archive_read(const char *path, size_t most, tips_archive_part *parts, int count) {
    (void)most, (void)parts, (void)count;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build reads no archives (it lacks libarchive); unpack it and name the folder",
              path);
}

tips_status tips__archive_unpack(const char *path, const char *folder) {
    (void)folder;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build unpacks no archives (it lacks libarchive); unpack it yourself", path);
}

#endif
