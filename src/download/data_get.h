/* tips data get: a known dataset, or a file by its address, from the network. */
#ifndef TIPS_DOWNLOAD_DATA_GET_H
#define TIPS_DOWNLOAD_DATA_GET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

typedef struct tips_data_get_config {
    const char *name;   /* "cifar10", or an address with "://" */
    const char *from;   /* another base address for the files of a known set; NULL: its own */
    const char *out;    /* folder; known sets get one of their own in it */
    const char *sha256; /* of a file by its address; NULL: not checked */
    void (*progress)(void *context, const char *file, int64_t done, int64_t total); /* may be NULL; total 0: unknown */
    void *progress_context;
} tips_data_get_config;

typedef struct tips_data_get_result {
    int downloaded, resumed, present; /* files */
    bool unpacked;                    /* now, not before */
    char path[4096];                  /* what to name as data */
} tips_data_get_result;

tips_status tips__data_get(const tips_data_get_config *config, tips_data_get_result *out) TIPS_MUST_CHECK;
/* "mnist, fashion-mnist, ..." */
void tips__data_get_names(char *out, size_t size);

#endif
