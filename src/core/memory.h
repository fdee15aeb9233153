/* Aligned memory. Every byte the library takes passes here, so that tests can count and fail allocations, and callers
 * can bring their own allocator. */
#ifndef TIPS_CORE_MEMORY_H
#define TIPS_CORE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <tips/memory.h>
#include <tips/status.h>

enum { TIPS_ALIGN = 64 };

/* 64-byte aligned, not initialised; NULL when out of memory. Size 0 gives a valid pointer. */
void *tips__alloc(size_t bytes);
/* The same, zeroed. */
void *tips__calloc(size_t count, size_t bytes);
/* A longer copy of `old` (old_bytes kept), which is freed on success; NULL leaves `old` as it was. */
void *tips__grow(void *old, size_t old_bytes, size_t new_bytes);
char *tips__strdup(const char *text);
void tips__free(void *memory);

/* What tips_use_allocator set for this thread: threads that allocate on behalf of this one are to use it too. */
const tips_allocator *tips__allocator(void);

/* Like tips__alloc and tips__calloc, but with a status and a text that names what the memory was for. */
tips_status tips__new(void *out_pointer, size_t bytes, const char *what) TIPS_MUST_CHECK;
tips_status tips__new_zero(void *out_pointer, size_t bytes, const char *what) TIPS_MUST_CHECK;

/* Allocations so far in this process. */
uint64_t tips__alloc_count(void);
/* For tests: the n-th allocation from now fails (1 is the next), and only that one; 0 switches it off. */
void tips__alloc_fail_at(uint64_t n);

#endif
