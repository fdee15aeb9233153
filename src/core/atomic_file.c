/* Temporary file, fsync, rename, fsync of the folder. A lock on the temporary tells a live writer from a dead one. */
#include "core/atomic_file.h"

#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WRITERS = 64, SUFFIX_SIZE = 16 };

struct tips_atomic_file {
    FILE *stream;
    int descriptor; /* -1 before the temporary is open and once the stream owns it */
    char *path;     /* what to replace, links followed */
    char *folder;
    char *temporary; /* its name is the path's with a dot before and a suffix behind */
};

static tips_status fail_errno(const char *path, const char *what) {
    TIPS_FAIL(TIPS_IO, "%s: %s: %s", path, what, errno ? strerror(errno) : "a write failed");
}

static char *copy_or_null(const char *text, size_t length) {
    char *copy = tips__alloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* The file behind a link; any other path as it is. */
static char *follow_links(const char *path) {
    char *real = realpath(path, NULL);
    char *copy = tips__strdup(real ? real : path);
    free(real);
    return copy;
}

static tips_status set_paths(tips_atomic_file *f, const char *path) {
    f->path = follow_links(path);
    if (!f->path) TIPS_FAIL(TIPS_MEMORY, "out of memory for the path %s", path);
    const char *slash = strrchr(f->path, '/');
    if (slash == f->path) f->folder = tips__strdup("/");
    else if (slash) f->folder = copy_or_null(f->path, (size_t)(slash - f->path));
    else f->folder = tips__strdup(".");
    const size_t bytes = strlen(f->path) + 3 + SUFFIX_SIZE;
    return f->folder ? tips__new(&f->temporary, bytes, "the path of a temporary file")
                     : tips__fail(TIPS_MEMORY, "out of memory for the path %s", path);
}

static tips_status check_folder(const tips_atomic_file *f) {
    struct stat info;
    const char *slash = strrchr(f->path, '/'), *base = slash ? slash + 1 : f->path;
    if (!*base) TIPS_FAIL(TIPS_IO, "%s: is not the name of a file", f->path);
    if (stat(f->folder, &info) != 0)
        TIPS_FAIL(TIPS_IO, "%s: cannot be written: the folder %s: %s", f->path, f->folder, strerror(errno));
    if (!S_ISDIR(info.st_mode)) TIPS_FAIL(TIPS_IO, "%s: cannot be written: %s is not a folder", f->path, f->folder);
    return TIPS_OK;
}

/* What is there must be a file that we may write. Its permissions are kept. */
static tips_status check_old(const tips_atomic_file *f, bool *exists, mode_t *mode) {
    struct stat info;
    *exists = stat(f->path, &info) == 0;
    if (!*exists) return errno == ENOENT ? TIPS_OK : fail_errno(f->path, "cannot be written");
    if (S_ISDIR(info.st_mode)) TIPS_FAIL(TIPS_IO, "%s: is a folder, not a regular file", f->path);
    if (!S_ISREG(info.st_mode)) TIPS_FAIL(TIPS_IO, "%s: is not a regular file", f->path);
    if (access(f->path, W_OK) != 0) return fail_errno(f->path, "cannot be written");
    *mode = info.st_mode & 07777;
    return TIPS_OK;
}

static void name_temporary(tips_atomic_file *f, int number) {
    const char *slash = strrchr(f->path, '/');
    const int folder = slash ? (int)(slash + 1 - f->path) : 0;
    sprintf(f->temporary, "%.*s.%s.%d.tmp", folder, f->path, f->path + folder, number);
}

/* The file at `path` may have been renamed or removed between opening and locking it. */
static bool is_still_there(int descriptor, const char *path) {
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino && S_ISREG(named.st_mode);
}

/* Opens and locks temporary number `number`. `*busy`: another writer has it, or took it away meanwhile. */
static tips_status take_temporary(tips_atomic_file *f, int number, bool *busy) {
    name_temporary(f, number);
    *busy = false;
    const int descriptor = open(f->temporary, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor < 0) return fail_errno(f->path, "cannot be written");
    const bool is_locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (is_locked && is_still_there(descriptor, f->temporary)) {
        f->descriptor = descriptor;
        return ftruncate(descriptor, 0) == 0 ? TIPS_OK : fail_errno(f->path, "cannot be written");
    }
    *busy = true;
    close(descriptor);
    return TIPS_OK;
}

static tips_status open_temporary(tips_atomic_file *f) {
    for (int number = 0; number < MOST_WRITERS; number++) {
        bool busy;
        TIPS_TRY(take_temporary(f, number, &busy));
        if (!busy) return TIPS_OK;
    }
    TIPS_FAIL(TIPS_IO, "%s: is being written by too many at once", f->path);
}

static tips_status open_file(tips_atomic_file *f, const char *path) {
    bool exists = false;
    mode_t mode = 0;
    TIPS_TRY(set_paths(f, path));
    TIPS_TRY(check_folder(f));
    TIPS_TRY(check_old(f, &exists, &mode));
    TIPS_TRY(open_temporary(f));
    if (exists && fchmod(f->descriptor, mode) != 0) return fail_errno(f->path, "cannot be written");
    f->stream = fdopen(f->descriptor, "wb");
    if (!f->stream) return fail_errno(f->path, "cannot be written");
    f->descriptor = -1;
    return TIPS_OK;
}

static void destroy(tips_atomic_file *f) {
    tips__free(f->path);
    tips__free(f->folder);
    tips__free(f->temporary);
    tips__free(f);
}

tips_status tips__atomic_open(const char *path, tips_atomic_file **out) {
    tips_atomic_file *f;
    TIPS_TRY(tips__new_zero(&f, sizeof *f, "a file to write"));
    f->descriptor = -1;
    const tips_status status = open_file(f, path);
    if (status != TIPS_OK) tips__atomic_abandon(f);
    else *out = f;
    return status;
}

void tips__atomic_abandon(tips_atomic_file *f) {
    if (!f) return;
    /* Removed while still locked: afterwards the name may be another writer's. */
    if (f->stream || f->descriptor >= 0) unlink(f->temporary);
    if (f->stream) fclose(f->stream);
    else if (f->descriptor >= 0) close(f->descriptor);
    destroy(f);
}

FILE *tips__atomic_stream(tips_atomic_file *f) { return f->stream; }

tips_status tips__atomic_write(tips_atomic_file *f, const void *data, size_t bytes) {
    errno = 0;
    if (bytes == 0 || fwrite(data, 1, bytes, f->stream) == bytes) return TIPS_OK;
    return fail_errno(f->path, "could not be written");
}

tips_status tips__atomic_write_at(tips_atomic_file *f, long place, const void *data, size_t bytes) {
    errno = 0;
    if (fseek(f->stream, place, SEEK_SET) != 0) return fail_errno(f->path, "could not be written");
    return tips__atomic_write(f, data, bytes);
}

/* Not every file system can sync a folder, and not every folder may be read: neither undoes the rename. */
static tips_status sync_folder(const tips_atomic_file *f) {
    const int descriptor = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return TIPS_OK;
    const bool failed = fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS;
    const tips_status status = failed ? fail_errno(f->path, "its folder could not be synced") : TIPS_OK;
    close(descriptor);
    return status;
}

static tips_status replace(tips_atomic_file *f) {
    errno = 0;
    if (ferror(f->stream) || fflush(f->stream) != 0) return fail_errno(f->path, "could not be written");
    if (fsync(fileno(f->stream)) != 0 && errno != EINVAL) return fail_errno(f->path, "could not be synced");
    if (rename(f->temporary, f->path) != 0) return fail_errno(f->path, "could not be replaced");
    return TIPS_OK;
}

tips_status tips__atomic_commit(tips_atomic_file *f) {
    tips_status status = replace(f);
    if (status != TIPS_OK) {
        tips__atomic_abandon(f);
        return status;
    }
    status = sync_folder(f);
    fclose(f->stream); /* all is flushed and synced */
    destroy(f);
    return status;
}

tips_status tips__atomic_try(const char *path) {
    tips_atomic_file *file;
    TIPS_TRY(tips__atomic_open(path, &file));
    tips__atomic_abandon(file);
    return TIPS_OK;
}

tips_status tips__atomic_save(const char *path, const void *data, size_t bytes) {
    tips_atomic_file *file;
    TIPS_TRY(tips__atomic_open(path, &file));
    const tips_status status = tips__atomic_write(file, data, bytes);
    if (status == TIPS_OK) return tips__atomic_commit(file);
    tips__atomic_abandon(file);
    return status;
}
