/* Downloads by libcurl. A server that does not know ranges, and a part that belongs to another version of the file,
 * cost a new start, never a wrong file. */
#include "download/download.h"

#include "core/fail.h"

#ifdef TIPS_HAVE_CURL
#include "core/sha256.h"
#include "data/names.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <tips/version.h>
#include <unistd.h>

enum { MOST_REDIRECTS = 5, CONNECT_SECONDS = 30, IDLE_SECONDS = 60 };

/* One request being answered. */
typedef struct transfer {
    const tips_download *download;
    FILE *file;
    int64_t start, received;
    bool too_long;
    int error; /* errno of a write that failed */
} transfer;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    transfer *t = context;
    const size_t n = size * count;
    if (t->download->bytes > 0 && t->start + t->received + (int64_t)n > t->download->bytes) {
        t->too_long = true;
        return 0;
    }
    t->received += (int64_t)n;
    errno = 0;
    const size_t written = fwrite(bytes, 1, n, t->file);
    if (written != n) t->error = errno;
    return written;
}

static int tell(void *context, curl_off_t total, curl_off_t done, curl_off_t up_total, curl_off_t up_done) {
    const transfer *t = context;
    (void)up_total, (void)up_done;
    if (t->download->progress)
        t->download->progress(t->download->progress_context, t->start + done, total > 0 ? t->start + total : 0);
    return 0;
}

static void set_options(CURL *curl, transfer *t, char *error) {
    curl_easy_setopt(curl, CURLOPT_URL, t->download->url);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "tips/" TIPS_VERSION);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)IDLE_SECONDS);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, tell);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, t);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)t->start);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

/* `*restart`: the server cannot go on from where the part ends. That nothing is left to send (416) may mean that the
 * part is whole, which a checksum tells. */
static tips_status explain(const transfer *t, CURLcode code, long answer, const char *error, bool *restart) {
    const char *url = t->download->url;
    const bool is_past_end = t->start > 0 && answer == 416;
    *restart = t->start > 0 && (code == CURLE_RANGE_ERROR || (is_past_end && !t->download->sha256));
    if (code == CURLE_OK || *restart || is_past_end) return TIPS_OK;
    if (t->too_long)
        TIPS_FAIL(TIPS_FORMAT, "%s: longer than the %lld bytes it should have", url, (long long)t->download->bytes);
    if (code == CURLE_WRITE_ERROR)
        TIPS_FAIL(TIPS_IO, "%s.part: cannot be written: %s", t->download->path,
                  t->error ? strerror(t->error) : "a write failed");
    TIPS_FAIL(TIPS_IO, "%s: %s", url, error[0] ? error : curl_easy_strerror(code));
}

static tips_status request(transfer *t, bool *restart) {
    char error[CURL_ERROR_SIZE] = "";
    long answer = 0;
    CURL *curl = curl_easy_init();
    if (!curl) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory", t->download->url);
    set_options(curl, t, error);
    const CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
    curl_easy_cleanup(curl);
    return explain(t, code, answer, error, restart);
}

static int64_t size_of(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
}

/* Adds to the part what it lacks; `from_start` throws away what there is. */
static tips_status extend(const tips_download *d, const char *part, bool from_start, bool *resumed, bool *restart) {
    transfer t = {.download = d, .start = from_start ? 0 : size_of(part)};
    *restart = false;
    *resumed = t.start > 0;
    if (d->bytes > 0 && t.start == d->bytes) return TIPS_OK; /* whole, but not yet checked */
    if (d->bytes > 0 && t.start > d->bytes) {
        *restart = true;
        return TIPS_OK;
    }
    t.file = fopen(part, from_start ? "wb" : "ab");
    if (!t.file) TIPS_FAIL(TIPS_IO, "%s: %s", part, strerror(errno));
    tips_status status = request(&t, restart);
    const bool failed = fclose(t.file) != 0;
    if (status == TIPS_OK && failed) status = tips__fail(TIPS_IO, "%s: %s", part, strerror(errno));
    return status;
}

static tips_status check(const tips_download *d, const char *file, const char *shown) {
    char sum[TIPS_SHA256_TEXT];
    if (d->bytes > 0 && size_of(file) != d->bytes)
        TIPS_FAIL(TIPS_FORMAT, "%s: %lld bytes instead of %lld", shown, (long long)size_of(file), (long long)d->bytes);
    if (!d->sha256) return TIPS_OK;
    TIPS_TRY(tips__sha256_file(file, sum));
    if (strcmp(sum, d->sha256) != 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: wrong checksum: SHA-256 is %s instead of %s", shown, sum, d->sha256);
    return TIPS_OK;
}

static tips_status fetch(const tips_download *d, const char *part, bool *resumed) {
    bool restart = false;
    TIPS_TRY(extend(d, part, false, resumed, &restart));
    if (restart) TIPS_TRY(extend(d, part, true, resumed, &restart));
    tips_status status = check(d, part, d->url);
    if (status != TIPS_OK && *resumed) { /* the part was of something else */
        TIPS_TRY(extend(d, part, true, resumed, &restart));
        status = check(d, part, d->url);
    }
    if (status == TIPS_FORMAT) remove(part);
    return status;
}

tips_status tips__download(const tips_download *d, tips_download_outcome *out) {
    char part[TIPS_PATH_SIZE];
    bool resumed = false;
    if (snprintf(part, sizeof part, "%s.part", d->path) >= TIPS_PATH_SIZE)
        TIPS_FAIL(TIPS_RANGE, "%.80s...: the path is too long", d->path);
    if (access(d->path, F_OK) == 0) {
        TIPS_TRY(check(d, d->path, d->path));
        *out = TIPS_DOWNLOAD_PRESENT;
        return TIPS_OK;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) TIPS_FAIL(TIPS_MEMORY, "libcurl cannot be started");
    const tips_status status = fetch(d, part, &resumed);
    curl_global_cleanup();
    TIPS_TRY(status);
    if (rename(part, d->path) != 0) TIPS_FAIL(TIPS_IO, "%s: %s", d->path, strerror(errno));
    *out = resumed ? TIPS_DOWNLOAD_RESUMED : TIPS_DOWNLOADED;
    return TIPS_OK;
}

#else

tips_status tips__download(const tips_download *d, tips_download_outcome *out) {
    (void)out;
    TIPS_FAIL(TIPS_UNSUPPORTED, "this build downloads nothing (it lacks libcurl); fetch %s yourself and save it as %s",
              d->url, d->path);
}

#endif
