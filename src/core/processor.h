/* What this machine computes with, as far as the last bits of sums may depend on it. */
#ifndef TIPS_CORE_PROCESSOR_H
#define TIPS_CORE_PROCESSOR_H

#include <stdbool.h>

/* Whether the processor runs the kernels of a level, "baseline", "avx2" or "avx512"; and a level above it. */
bool tips__processor_has(const char *level);
bool tips__processor_has_more(const char *level);

/* What oneDNN is held to by its own variable in the environment, or NULL. */
const char *tips__onednn_held(void);

/* "avx512", "avx2", ...: the widest instructions of the processor, or what oneDNN or the kernels are held to. */
const char *tips__processor(void);

#endif
