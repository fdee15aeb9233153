/* The version and how this library was built. */
#include <tips/version.h>

#include "core/build.h"
#include "core/level.h"

#include <stdio.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#if defined(__clang__)
#define COMPILER "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__)
#elif defined(__GNUC__)
#define COMPILER "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__)
#else
#define COMPILER "an unknown compiler"
#endif

#ifdef _OPENMP
#define THREADS "OpenMP threads"
#else
#define THREADS "one thread"
#endif

const char *tips_version(void) { return TIPS_VERSION; }

static char build[128], build_info[512];

/* After the level is chosen, before main: what is asked for from several threads is not written then. */
__attribute__((constructor(102))) static void describe(void) {
    const tips_level *level = tips__level();
    snprintf(build, sizeof build, "built with " COMPILER ", %s, channel block %d, " THREADS, level->name, level->block);
    snprintf(build_info, sizeof build_info, "built with " COMPILER ", channel block %d, " THREADS "; kernels: %s, %s",
             level->block, level->name, tips__level_reason());
}

const char *tips__build(void) { return build; }
const char *tips_build_info(void) { return build_info; }
