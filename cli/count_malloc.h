/* How often this process has asked for memory, libraries included. */
#ifndef TIPS_CLI_COUNT_MALLOC_H
#define TIPS_CLI_COUNT_MALLOC_H

#include <stdbool.h>
#include <stdint.h>

/* Calls of malloc, calloc, realloc and the aligned kinds so far; 0 where they cannot be counted. */
uint64_t cli_malloc_count(void);
/* Counting takes glibc, and a build without sanitizers (they bring an allocator of their own). */
bool cli_malloc_is_counted(void);

#endif
