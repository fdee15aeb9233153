/* Telling the address sanitizer which bytes nobody may touch; nothing without it. */
#ifndef TIPS_CORE_ASAN_H
#define TIPS_CORE_ASAN_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TIPS_HAS_ASAN
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TIPS_HAS_ASAN
#endif

#ifdef TIPS_HAS_ASAN
#include <sanitizer/asan_interface.h>
#define TIPS_ASAN_POISON(memory, bytes) __asan_poison_memory_region(memory, bytes)
#define TIPS_ASAN_UNPOISON(memory, bytes) __asan_unpoison_memory_region(memory, bytes)
#else
#define TIPS_ASAN_POISON(memory, bytes) ((void)(memory), (void)(bytes))
#define TIPS_ASAN_UNPOISON(memory, bytes) ((void)(memory), (void)(bytes))
#endif

#endif
