/* Bytes whose number changes from one use to the next, and whose memory stays for the next use. */
#ifndef TIPS_CORE_BYTES_H
#define TIPS_CORE_BYTES_H

#include <stddef.h>
#include <tips/status.h>

typedef struct tips_bytes {
    unsigned char *data; /* (count), aligned for any type; NULL until the first bytes are asked for */
    size_t count, capacity;
} tips_bytes;

/* Makes them `count`: those that were there stay as far as there is room, new ones are not set, and no memory is given
 * back. */
tips_status tips__bytes_resize(tips_bytes *bytes, size_t count) TIPS_MUST_CHECK;
/* Gives the memory back. */
void tips__bytes_clear(tips_bytes *bytes);

#endif
