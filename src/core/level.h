/* Levels of a processor: what the kernel rooms (cmake/TipsLevels.cmake) are compiled for, each once, and which of them
 * is used. When the program starts, the best that the processor has is chosen, or what TIPS_ISA in the environment
 * says. */
#ifndef TIPS_CORE_LEVEL_H
#define TIPS_CORE_LEVEL_H

#include <stdbool.h>
#include <tips/status.h>

typedef struct tips_level {
    const char *name; /* "baseline", "avx2", "avx512"; "neon", "generic" elsewhere */
    int block;        /* channels per block of the layout */
} tips_level;

/* The one in use. */
const tips_level *tips__level(void);
/* Why: "the best this processor has (avx2 and baseline are also there)". */
const char *tips__level_reason(void);
/* Whether TIPS_ISA holds the kernels below what the processor has. */
bool tips__level_is_held(void);
/* Fails where TIPS_ISA names what is not there, or where the processor has no level of this build. */
tips_status tips__level_check(void) TIPS_MUST_CHECK;

/* Channels per block. Kernels have it as a constant, TIPS_BLOCK; everybody else asks. */
static inline int tips__block(void) { return tips__level()->block; }

/* TIPS_ROW(name), where a kernel room defines data that others see: every level has its own, and `name` itself, there
 * and everywhere else, is one object that is given the values of the level in use. With one level it is just `name`. */
#ifdef TIPS_LEVEL
#define TIPS_ROW(name) TIPS_ROW_OF(name, TIPS_LEVEL)
#define TIPS_ROW_OF(name, level) TIPS_ROW_AT(name, level)
#define TIPS_ROW_AT(name, level) name##__##level
#else
#define TIPS_ROW(name) name
#endif

#endif
