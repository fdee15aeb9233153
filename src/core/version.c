/* The version and how this library was built. */
#include <tips/version.h>

#ifndef TIPS_BLOCK
#define TIPS_BLOCK 8
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#if defined(__clang__)
#define COMPILER "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__)
#elif defined(__GNUC__)
#define COMPILER "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__)
#else
#define COMPILER "an unknown compiler"
#endif

#if defined(__AVX512F__)
#define ISA "avx512"
#elif defined(__AVX2__)
#define ISA "avx2"
#elif defined(__ARM_NEON)
#define ISA "neon"
#else
#define ISA "generic"
#endif

#ifdef _OPENMP
#define THREADS "OpenMP threads"
#else
#define THREADS "one thread"
#endif

const char *tips_version(void) { return TIPS_VERSION; }

const char *tips_build_info(void) {
    return "built with " COMPILER ", " ISA ", channel block " TEXT(TIPS_BLOCK) ", " THREADS;
}
