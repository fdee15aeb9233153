/* flock, which the system releases when a process ends, however it ends, and which NFS passes on to its server. */
#include "core/folder_lock.h"

#include "core/fail.h"
#include "core/make_folder.h"
#include "core/memory.h"
#include "core/path.h"
#include "core/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOLDER_SIZE = 320, TRIES = 1000, PAUSES = 50, PAUSE_NANOSECONDS = 10000000 };

struct tips_folder_lock {
    int descriptor;
    size_t made; /* folders of the path that were not there end behind this many characters */
    char folder[TIPS_PATH_SIZE], path[TIPS_PATH_SIZE];
};

const char tips__run_lock_name[] = "run.lock";

/* How much of the path is there already. */
static size_t length_there(const char *folder) {
    char path[TIPS_PATH_SIZE];
    size_t there = 0;
    snprintf(path, sizeof path, "%s", folder);
    for (size_t i = 1; i <= strlen(folder); i++) {
        if (folder[i] != '/' && folder[i] != '\0') continue;
        path[i] = '\0';
        if (access(path, F_OK) != 0) return there;
        path[i] = folder[i];
        there = i;
    }
    return there;
}

static void remove_made(tips_folder_lock *l) {
    for (size_t end = strlen(l->folder); end > l->made; end--) {
        if (l->folder[end] != '\0' && l->folder[end] != '/') continue;
        l->folder[end] = '\0';
        if (rmdir(l->folder) != 0) return;
    }
}

/* What the holder wrote, fit to be printed: a moment after it took the lock. */
static void read_holder(const tips_folder_lock *l, char out[HOLDER_SIZE]) {
    char text[HOLDER_SIZE / 2] = "";
    const struct timespec pause = {0, PAUSE_NANOSECONDS};
    for (int i = 0; i < PAUSES && !text[0]; i++) {
        const ssize_t length = pread(l->descriptor, text, sizeof text - 1, 0);
        text[length > 0 ? length : 0] = '\0';
        if (!text[0]) nanosleep(&pause, NULL);
    }
    text[strcspn(text, "\n")] = '\0';
    tips__visible(text[0] ? text : "another process", out, HOLDER_SIZE);
}

static void write_holder(const tips_folder_lock *l) {
    char text[HOLDER_SIZE / 2], host[64] = "", since[32];
    const time_t now = time(NULL);
    struct tm parts;
    gethostname(host, sizeof host - 1);
    strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &parts));
    snprintf(text, sizeof text, "process %ld on %.30s since %s\n", (long)getpid(), host, since);
    if (ftruncate(l->descriptor, 0) == 0 && write(l->descriptor, text, strlen(text)) < 0) errno = 0; /* says less */
}

/* Who releases a lock removes its file: what was opened before that is nobody's any more. */
static bool is_still_there(const tips_folder_lock *l) {
    struct stat opened, named;
    return fstat(l->descriptor, &opened) == 0 && stat(l->path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static tips_status open_file(tips_folder_lock *l) {
    TIPS_TRY(tips__make_folder(l->folder));
    l->descriptor = open(l->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (l->descriptor < 0 && errno != ENOENT) TIPS_FAIL(TIPS_IO, "%s: cannot be written: %s", l->path, strerror(errno));
    return TIPS_OK;
}

static tips_status fail_busy(const tips_folder_lock *l, bool waits) {
    char holder[HOLDER_SIZE];
    read_holder(l, holder);
    if (waits) TIPS_FAIL(TIPS_INTERRUPTED, "interrupted while %s was at %s", holder, l->folder);
    TIPS_FAIL(TIPS_IO, "%s: %s writes there (%s); wait for it, end it, or choose another place", l->folder, holder,
              l->path);
}

/* `*taken` is false where the file went away meanwhile: then it is tried again. */
static tips_status take_once(tips_folder_lock *l, bool waits, bool *taken) {
    *taken = false;
    TIPS_TRY(open_file(l));
    if (l->descriptor < 0) return TIPS_OK;
    const int code = flock(l->descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
    if (code != 0 && errno == (waits ? EINTR : EWOULDBLOCK)) return fail_busy(l, waits);
    *taken = is_still_there(l);
    if (*taken) return TIPS_OK;
    close(l->descriptor);
    l->descriptor = -1;
    return TIPS_OK;
}

static tips_status take_lock(tips_folder_lock *l, const char *folder, const char *name, bool waits) {
    bool taken = false;
    if (strlen(folder) >= sizeof l->folder) TIPS_FAIL(TIPS_INVALID, "the path %.60s... is too long", folder);
    snprintf(l->folder, sizeof l->folder, "%s", folder);
    TIPS_TRY(tips__path_join(folder, name, l->path));
    l->made = length_there(folder);
    for (int i = 0; i < TRIES && !taken; i++) TIPS_TRY(take_once(l, waits, &taken));
    if (!taken) TIPS_FAIL(TIPS_IO, "%s: is made and removed by others all the time", l->path);
    write_holder(l);
    return TIPS_OK;
}

static tips_status lock_folder(const char *folder, const char *name, bool waits, tips_folder_lock **out) {
    tips_folder_lock *l;
    TIPS_TRY(tips__new_zero(&l, sizeof *l, "a lock"));
    l->descriptor = -1;
    const tips_status status = take_lock(l, folder, name, waits);
    if (status == TIPS_OK) {
        *out = l;
        return TIPS_OK;
    }
    if (l->descriptor >= 0) close(l->descriptor); /* another's: its file stays */
    tips__free(l);
    return status;
}

tips_status tips__folder_lock(const char *folder, const char *name, tips_folder_lock **out) {
    return lock_folder(folder, name, false, out);
}

tips_status tips__folder_lock_wait(const char *folder, const char *name, tips_folder_lock **out) {
    return lock_folder(folder, name, true, out);
}

void tips__folder_unlock(tips_folder_lock *l) {
    if (!l) return;
    unlink(l->path); /* while it is still held: afterwards the name may be another's */
    remove_made(l);
    close(l->descriptor);
    tips__free(l);
}
