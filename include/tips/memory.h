/* Memory from the caller. Everything that tips itself allocates comes from the C library unless told otherwise; what
 * oneDNN, OpenMP and the readers of picture formats allocate is their own. */
#ifndef TIPS_MEMORY_H
#define TIPS_MEMORY_H

#include <stddef.h>
#include <tips/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `allocate` gives at least so many bytes, of any alignment, or NULL; `release` takes back what it gave. Both may be
 * called by several threads at once where the caller's threads share what was made. */
typedef struct tips_allocator {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory);
    void *context;
} tips_allocator;

/* What this thread allocates from now on comes from `allocator`, or from the C library if that is NULL; the one that
 * was in use before is returned. Memory goes back to where it came from, whichever thread frees it, so the allocator
 * must live until then. One that lacks a function gives nothing: calls that need memory fail. What a classifier makes
 * and keeps comes from the allocator that was in use when it was loaded. */
TIPS_API const tips_allocator *tips_use_allocator(const tips_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
