/* Downloading a file: resumed where an earlier attempt ended, checked, and only then put in its place. */
#ifndef TIPS_DOWNLOAD_DOWNLOAD_H
#define TIPS_DOWNLOAD_DOWNLOAD_H

#include <stdint.h>
#include <tips/status.h>

typedef struct tips_download {
    const char *url;
    const char *path;                                             /* the file; "path.part" while it is not whole */
    const char *sha256;                                           /* NULL: not checked */
    int64_t bytes;                                                /* expected; 0: unknown */
    void (*progress)(void *context, int64_t done, int64_t total); /* may be NULL; total 0: unknown */
    void *progress_context;
} tips_download;

typedef enum tips_download_outcome {
    TIPS_DOWNLOADED,
    TIPS_DOWNLOAD_RESUMED,
    TIPS_DOWNLOAD_PRESENT
} tips_download_outcome;

tips_status tips__download(const tips_download *download, tips_download_outcome *out) TIPS_MUST_CHECK;

#endif
