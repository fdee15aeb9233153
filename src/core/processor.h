/* What this machine computes with, as far as the last bits of sums may depend on it. */
#ifndef TIPS_CORE_PROCESSOR_H
#define TIPS_CORE_PROCESSOR_H

/* "avx512", "avx2", ...: the widest instructions of the processor, or what oneDNN is held to by its environment. */
const char *tips__processor(void);

#endif
