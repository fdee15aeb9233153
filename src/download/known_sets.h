/* The datasets that can be downloaded: what they are made of. */
#ifndef TIPS_DOWNLOAD_KNOWN_SETS_H
#define TIPS_DOWNLOAD_KNOWN_SETS_H

#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

/* A row: a set (address not NULL), or a file of the set above it. */
typedef struct tips_known_row {
    const char *name;
    const char *use;      /* set: what to name as data, within its folder */
    const char *unpacked; /* set: folder that its last file unpacks to, or NULL */
    const char *address;  /* set: where its files are */
    int64_t bytes;        /* file */
    const char *sha256;   /* file */
} tips_known_row;

/* The row of a set; its files follow, up to a row with an address or without a name. */
tips_status tips__known_set_find(const char *name, const tips_known_row **out) TIPS_MUST_CHECK;
/* The names of all sets, parted by commas. */
void tips__known_set_names(char *out, size_t size);

#endif
