/* Aligned allocation with a counter, a switch that fails the n-th call, and the caller's allocator if there is one. In
 * front of each block stands where it came from, so that any thread can give it back. */
#include "core/memory.h"

#include "core/asan.h"
#include "core/fail.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t allocations;
static _Atomic uint64_t fail_at;
static _Thread_local const tips_allocator *in_use;

typedef struct block_origin {
    const tips_allocator *allocator; /* NULL: the C library */
    void *start;
} block_origin;

_Static_assert(sizeof(block_origin) <= TIPS_ALIGN, "an origin fits in front of a block");

const tips_allocator *tips_use_allocator(const tips_allocator *allocator) {
    const tips_allocator *before = in_use;
    in_use = allocator;
    return before;
}

const tips_allocator *tips__allocator(void) { return in_use; }

static int must_fail(void) {
    atomic_fetch_add(&allocations, 1);
    uint64_t left = atomic_load(&fail_at);
    if (left == 0) return 0;
    atomic_store(&fail_at, left - 1);
    return left == 1;
}

enum { SURELY_THERE = 1 << 20 };

/* More than the machine has would be granted by an overcommitting kernel, and end in a kill instead of an error. */
static size_t largest_request(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : PTRDIFF_MAX - TIPS_ALIGN;
}

static size_t round_up(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

/* The first aligned place with room for the origin in front of it. */
static void *block_in(unsigned char *start, const tips_allocator *allocator) {
    const block_origin origin = {allocator, start};
    const uintptr_t address = (uintptr_t)start;
    unsigned char *block = start + (round_up(address + sizeof origin) - address);
    memcpy(block - sizeof origin, &origin, sizeof origin);
    return block;
}

/* Large blocks are asked for in large pages, where the system has them: a page is then a two hundredth of the work to
 * get, and kernels miss fewer. Only pages that lie wholly inside, so that a block takes no more memory than before. */
static void ask_for_large_pages(unsigned char *start, size_t bytes) {
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)2 << 20, skipped = (page - (uintptr_t)start % page) % page;
    if (bytes < 2 * page || bytes - skipped < page) return;
    madvise(start + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE); /* a wish: nothing depends on it */
#else
    (void)start, (void)bytes;
#endif
}

static void *alloc_from_library(size_t bytes) {
    unsigned char *start = aligned_alloc(TIPS_ALIGN, TIPS_ALIGN + bytes);
    if (!start) return NULL;
    ask_for_large_pages(start, TIPS_ALIGN + bytes);
    void *block = block_in(start, NULL);
    TIPS_ASAN_POISON(start, TIPS_ALIGN); /* writing in front of a block is found out */
    return block;
}

static bool is_whole(const tips_allocator *allocator) { return allocator->allocate && allocator->release; }

static void *alloc_from_caller(const tips_allocator *allocator, size_t bytes) {
    if (!is_whole(allocator)) return NULL;
    unsigned char *start = allocator->allocate(allocator->context, 2 * TIPS_ALIGN + bytes);
    return start ? block_in(start, allocator) : NULL;
}

void *tips__alloc(size_t bytes) {
    if (must_fail() || (bytes > SURELY_THERE && bytes > largest_request())) return NULL; /* asking takes a while */
    const size_t rounded = bytes ? round_up(bytes) : TIPS_ALIGN;
    return in_use ? alloc_from_caller(in_use, rounded) : alloc_from_library(rounded);
}

void *tips__calloc(size_t count, size_t bytes) {
    if (bytes != 0 && count > SIZE_MAX / bytes) return NULL;
    void *memory = tips__alloc(count * bytes);
    if (memory) memset(memory, 0, count * bytes);
    return memory;
}

void *tips__grow(void *old, size_t old_bytes, size_t new_bytes) {
    void *memory = tips__alloc(new_bytes);
    if (!memory) return NULL;
    if (old) memcpy(memory, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    tips__free(old);
    return memory;
}

char *tips__strdup(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = tips__alloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

void tips__free(void *memory) {
    block_origin origin;
    if (!memory) return;
    unsigned char *stored = (unsigned char *)memory - sizeof origin;
    TIPS_ASAN_UNPOISON(stored, sizeof origin);
    memcpy(&origin, stored, sizeof origin);
    if (origin.allocator) origin.allocator->release(origin.allocator->context, origin.start);
    else free(origin.start);
}

static tips_status hand_out(void *out_pointer, void *memory, size_t bytes, const char *what) {
    if (in_use && !is_whole(in_use))
        TIPS_FAIL(TIPS_INVALID, "the allocator in use has no function '%s'", in_use->allocate ? "release" : "allocate");
    if (!memory) TIPS_FAIL(TIPS_MEMORY, "out of memory: %zu bytes for %s", bytes, what);
    memcpy(out_pointer, &memory, sizeof memory);
    return TIPS_OK;
}

tips_status tips__new(void *out_pointer, size_t bytes, const char *what) {
    return hand_out(out_pointer, tips__alloc(bytes), bytes, what);
}

tips_status tips__new_zero(void *out_pointer, size_t bytes, const char *what) {
    return hand_out(out_pointer, tips__calloc(1, bytes), bytes, what);
}

uint64_t tips__alloc_count(void) { return atomic_load(&allocations); }

void tips__alloc_fail_at(uint64_t n) { atomic_store(&fail_at, n); }
